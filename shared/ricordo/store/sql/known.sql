-- name: owners
-- $2 user or null.
select user_id, count(*) as facts from facts where tenant = $1 and ($2::text is null or user_id = $2)
group by user_id order by user_id

-- name: ids
select id from facts where tenant = $1 and user_id = $2

-- name: among
-- Found by id, not among all that is known of the user.
select
-- include: fact_columns.columns
from facts
where tenant = $1 and id = any($3::uuid[]) and user_id is not distinct from $2
order by id
