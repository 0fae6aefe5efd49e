-- name: count_vectors
-- $2 models. By the primary key alone.
select model, count(*) as number from vectors where tenant = $1 and model = any($2::text[]) group by model

-- name: count_former
-- $2 the present model, $3 user or null. A vector of another text than the memory's present one does not count. What the
-- model refused is tried again, once a run.
select coalesce(b.former, $2) as model, count(*) as number
from (
    select (select min(v.model) from vectors v where v.tenant = $1 and v.memory_id = m.id and v.model <> $2) as former,
           exists (select from vectors v where v.tenant = $1 and v.memory_id = m.id and v.model = $2
                   and v.vector is not null and v.text_hash = sha256(convert_to(m.content, 'UTF8'))) as encoded
    from memories m join stages s on s.tenant = $1 and s.memory_id = m.id
    where m.tenant = $1 and ($3::text is null or m.user_id = $3) and s.enriched is not null) as b
where b.former is not null or not b.encoded
group by 1 order by 1

-- name: unencoded
-- $2 user or null.
select count(*) from stages
where tenant = $1 and ($2::text is null or user_id = $2) and pending and encoded is null

-- name: find_former
-- As above; $4 the id after which to go on, or null, $5 how many to return, $6 how many to look at: a slice costs no more
-- than that. At least one row, which says how far it looked.
with slice as (
    select id, user_id, content from memories
    where tenant = $1 and id > coalesce($4::uuid, '00000000-0000-0000-0000-000000000000')
      and ($3::text is null or user_id = $3)
    order by id limit $6
), judged as (
    select m.*,
           exists (select from vectors v where v.tenant = $1 and v.memory_id = m.id and v.model <> $2) as former,
           exists (select from vectors v where v.tenant = $1 and v.memory_id = m.id and v.model = $2
                   and v.vector is not null and v.text_hash = sha256(convert_to(m.content, 'UTF8'))) as encoded
    from slice m join stages s on s.tenant = $1 and s.memory_id = m.id
    where s.enriched is not null
), found as (
    select id, user_id, content, encoded from judged where former or not encoded order by id limit $5
)
select found.*, looked.number, looked.last
from (select count(*) as number, (array_agg(id order by id desc))[1] as last from slice) as looked
left join found on true
order by found.id

-- name: release
-- $2 the present model, $3 memory ids. The rows are locked, as when a vector is stored. Returns the ids of those
-- whose points have to follow.
with present as (
    select id, following_id, content from memories where tenant = $1 and id = any($3::uuid[]) order by id for key share
), moved as (
    select present.id, present.following_id from present join vectors v
        on v.tenant = $1 and v.memory_id = present.id and v.model = $2
        and v.vector is not null and v.text_hash = sha256(convert_to(present.content, 'UTF8'))
), locked as (
    select memory_id, model, reading, read_by, read_previous from vectors
    where tenant = $1 and memory_id in (select id from moved) and model <> $2 order by memory_id, model for update
), kept as (
    update vectors v set reading = l.reading, read_by = l.read_by, read_previous = l.read_previous
    from locked l
    where v.tenant = $1 and v.memory_id = l.memory_id and v.model = $2 and v.reading is null and l.reading is not null
), dropped as (
    delete from vectors v using locked l where v.tenant = $1 and v.memory_id = l.memory_id and v.model = l.model
)
select id from moved
union
select v.memory_id from moved join vectors v
    on v.tenant = $1 and v.memory_id = moved.following_id and v.model = $2

-- name: lock_models
-- $2 those that stay. Until the end of the transaction none of the others is listed again.
select model from embedding_models where tenant = $1 and model <> all($2::text[]) order by model for update

-- name: retire
-- $2 models, locked by the former query, $3 since when.
delete from embedding_models e
where e.tenant = $1 and e.model = any($2::text[])
  and not exists (select from vectors v where v.tenant = $1 and v.model = e.model)
  and not exists (select from stages s where s.tenant = $1 and s.pending and s.indexed is null and s.ingested < $3)
returning e.model

-- name: count_outdated
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

-- name: find_outdated
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
-- $2 rows. As the query `save` of `enrichment.sql`, for the importance alone.
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

-- name: count_indexable
-- $2 user or null.
select count(*) from memories m join stages s on s.tenant = $1 and s.memory_id = m.id
where m.tenant = $1 and ($2::text is null or m.user_id = $2) and s.enriched is not null
  and exists (select from vectors v where v.tenant = $1 and v.memory_id = m.id)

-- name: find_indexable
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
