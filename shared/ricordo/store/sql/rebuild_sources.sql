-- name: count
-- $2 user or null.
select count(*) from memories m join stages s on s.tenant = $1 and s.memory_id = m.id
where m.tenant = $1 and ($2::text is null or m.user_id = $2) and s.enriched is not null
  and exists (select from vectors v where v.tenant = $1 and v.memory_id = m.id)

-- name: find
-- As above; $3 the id after which to go on, or null, $4 how many to look at. One row, which says how far it looked.
with slice as (
    select id from memories
    where tenant = $1 and id > coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
      and ($2::text is null or user_id = $2)
    order by id limit $4
)
select (select count(*) from slice) as number, (select id from slice order by id desc limit 1) as last,
       array(select slice.id from slice join stages s on s.tenant = $1 and s.memory_id = slice.id
             where s.enriched is not null
               and exists (select from vectors v where v.tenant = $1 and v.memory_id = slice.id)
             order by slice.id) as ids

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
