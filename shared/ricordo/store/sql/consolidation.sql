-- Old and weak memories, as in `ricordo.memory.compression`; a test compares them.

-- name: users
-- $2 the user after whom to continue, $3 before when a message was sent, $4 limit. It steps from user to user by index, as
-- far as it takes to find so many.
with recursive known as (
    select $2::text as user_id, false as talked, 0 as found
    union all
    select n.user_id, n.talked, k.found + n.talked::integer
    from known k
    cross join lateral (
        select m.user_id, m.created_at < $3 as talked from memories m  -- the first message of each
        where m.tenant = $1 and m.user_id > k.user_id order by m.user_id, m.created_at limit 1) as n
    where k.found < $4
)
select user_id from known where talked order by user_id

-- name: weak
-- $2 user, $3 model, $4 now, $5 and $6 the moment and the id after which to go on, $7 how many.
select m.id, m.created_at, m.language, m.speaker, m.participants, v.vector
from memories m
join vectors v on v.tenant = m.tenant and v.memory_id = m.id and v.model = $3
    and v.vector is not null
where m.tenant = $1 and m.user_id = $2
  and m.created_at < $4::timestamptz - interval '2160 hours'
  and (m.created_at, m.id) > ($5::timestamptz, $6::uuid)
  and m.message_id is not null and m.derived_by <> '' and not m.compressed and not m.pinned and not m.verified
  and m.source <> 'user_correction' and m.expires_at is null and m.role = 'user'
  and m.informative >= 0.5
  and 0.3 * (10 - least(10, extract(epoch from $4::timestamptz - m.created_at)::double precision / 86400 / 30))
      + 0.2 * least(10, m.access_count / 5.0::double precision)
      + 0.4 * (1 + 9 * m.importance) - 0.1 * m.token_count / 500.0::double precision < 3
order by m.created_at, m.id limit $7

-- name: sources
select m.*, v.vector from memories m
join vectors v on v.tenant = m.tenant and v.memory_id = m.id and v.model = $3
where m.tenant = $1 and m.id = any($4::uuid[]) and m.user_id is not distinct from $2

-- name: lock
select * from memories where tenant = $1 and id = any($2::uuid[]) order by id for update

-- name: mark
-- $3 the synthesis.
update memories set compressed = true, synthesis_id = $3 where tenant = $1 and id = any($2::uuid[])

-- Reflections: what has accumulated since the last one, what they are drawn from, and the insights that there are.

-- name: due
-- $2 the threshold, $3 one user or null, $4 how many
select user_id, importance from reflection_backlog
where tenant = $1 and importance > $2 and ($3::text is null or user_id = $3)
order by importance desc, user_id limit $4

-- name: observations
-- $3 limit: the latest enriched messages of the user
select * from memories
where tenant = $1 and user_id = $2 and role = 'user' and message_id is not null and archived_at is null
  and derived_by <> '' and informative >= 0.5
  and kind not in ('summary', 'reflection', 'synthesis', 'extract')
order by created_at desc, id desc limit $3

-- name: own_names
select distinct object from facts
where tenant = $1 and user_id = $2 and subject_key = 'user' and predicate = 'name'
order by object

-- name: former
-- $3 hashes of what insights are about. Who pins, verifies or corrects one waits.
select i.insight_hash, m.id from insights i join memories m on m.tenant = $1 and m.id = i.memory_id
where i.tenant = $1 and i.user_id = $2 and i.insight_hash = any($3::uuid[])
order by m.id for update of m

-- name: lock_backlog
select importance from reflection_backlog where tenant = $1 and user_id = $2 for update

-- name: note
insert into insights (tenant, user_id, insight_hash, memory_id)
select $1, $2, n.insight_hash, n.memory_id from unnest($3::uuid[], $4::uuid[]) as n (insight_hash, memory_id)
order by n.insight_hash
on conflict (tenant, user_id, insight_hash) do update set memory_id = excluded.memory_id

-- name: settle
-- $3 what was reflected upon: what came in meanwhile stays
update reflection_backlog set importance = greatest(0, importance - $3) where tenant = $1 and user_id = $2
