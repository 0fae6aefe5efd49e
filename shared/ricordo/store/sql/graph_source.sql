-- Facts by version, for their projection to the graph.

-- name: owners
-- $2 user or null.
select user_id, count(*) as facts from facts where tenant = $1 and ($2::text is null or user_id = $2)
group by user_id order by user_id

-- name: behind
-- $2 users or null, $3 limit.
select user_id from fact_versions
where tenant = $1 and version > projected and ($2::text[] is null or user_id = any($2::text[]))
order by user_id limit $3

-- name: head
-- $2 user, $3 since which version.
select v.version, v.projected,
       exists (select from facts where tenant = $1 and user_id = $2) as has_facts,
       array(select id from gone_facts where tenant = $1 and user_id = $2 and version > $3) as gone
from fact_versions v
where v.tenant = $1 and v.user_id = $2

-- name: newer
-- $3 version and $4 id of the fact before, $5 the last version, $6 limit.
select version,
-- include: fact_columns.columns
from facts
where tenant = $1 and user_id = $2 and (version, id) > ($3, $4) and version <= $5
order by version, id limit $6

-- name: confirm
-- $3 version. Of a user without facts nothing stays, unless there is a later version.
with gone as (
    delete from gone_facts where tenant = $1 and user_id = $2 and version <= $3
), ended as (
    delete from fact_versions
    where tenant = $1 and user_id = $2 and version = $3
      and not exists (select from facts where tenant = $1 and user_id = $2)
)
update fact_versions set projected = greatest(projected, $3)
where tenant = $1 and user_id = $2 and projected < $3 and exists (select from facts where tenant = $1 and user_id = $2)

-- name: drop_failures
-- $2 messages.
delete from dead_letters where tenant = $1 and message_id = any($2::text[]) and consumer = 'graph'
