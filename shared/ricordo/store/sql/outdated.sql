-- name: count
-- $2 user or null, $3 the current version, $4 whether there is a language model, $5 whether only the rating counts,
-- $6 embedding models. Without a language model, what one has derived (its name stands behind a plus sign) is current.
-- What lifecycle has derived is nothing that enrichment could derive again.
select case when $5 then m.rater else m.derived_by end as version, count(*) as number
from (select *, coalesce(nullif(rated_by, ''), derived_by) as rater from memories) as m
join stages s on s.tenant = $1 and s.memory_id = m.id
where m.tenant = $1 and ($2::text is null or m.user_id = $2) and s.enriched is not null
  and m.derived_by <> 'lifecycle'
  and (m.rater <> $3 and ($4 or position('+' in m.rater) = 0)
       or not $5 and m.derived_by <> $3 and ($4 or position('+' in m.derived_by) = 0))
  and exists (select from vectors v where v.tenant = $1 and v.memory_id = m.id and v.model = any($6::text[]))
group by 1 order by 1

-- name: find
-- As above; $7 the id after which to go on, or null, $8 how many to return, $9 how many to look at: whatever the planner
-- thinks of the conditions, a slice costs no more than that. At least one row, which says how far it looked.
with slice as (
    select id, user_id, derived_by, coalesce(nullif(rated_by, ''), derived_by) as rater from memories
    where tenant = $1 and id > coalesce($7::uuid, '00000000-0000-0000-0000-000000000000')
      and ($2::text is null or user_id = $2)
    order by id limit $9
), found as (
    select m.id, m.user_id, v.model, m.derived_by as version, m.rater as rated_by
    from slice m
    join stages s on s.tenant = $1 and s.memory_id = m.id
    join lateral (
        select v.model from vectors v where v.tenant = $1 and v.memory_id = m.id and v.model = any($6::text[])
        order by array_position($6::text[], v.model) limit 1) as v on true
    where s.enriched is not null and m.derived_by <> 'lifecycle'
      and (m.rater <> $3 and ($4 or position('+' in m.rater) = 0)
           or not $5 and m.derived_by <> $3 and ($4 or position('+' in m.derived_by) = 0))
    order by m.id limit $8
)
select found.*, looked.number, looked.last
from (select count(*) as number, (array_agg(id order by id desc))[1] as last from slice) as looked
left join found on true
order by found.id

-- name: rate
-- $2 rows. As the query `enrich` of the projections, for the importance alone.
with rated as (
    select * from jsonb_to_recordset($2::jsonb) as r (memory_id uuid, importance double precision, rated_by text)
), locked as (
    select id from memories where tenant = $1 and id in (select memory_id from rated) order by id for update
)
update memories m
set importance = importance_after_uses(coalesce(m.stated_importance, r.importance), 0, m.access_count),
    importance_beyond = beyond_after_uses(coalesce(m.stated_importance, r.importance), 0, m.access_count),
    rated_by = r.rated_by
from rated r join locked l on l.id = r.memory_id
where m.tenant = $1 and m.id = r.memory_id
returning m.id

-- name: unindex
-- Their points are those of former rows; the missing stage says so until they have followed.
with locked as (
    select memory_id from stages where tenant = $1 and memory_id = any($2::uuid[]) order by memory_id for update
)
update stages s set indexed = null from locked where s.tenant = $1 and s.memory_id = locked.memory_id
returning s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed,
          s.extracted
