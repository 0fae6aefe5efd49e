-- Old and weak memories. What is weak is said in `ricordo.domain.compression`; a test holds the copy here against it.

-- name: users
-- $2 the user after whom to go on, $3 before when something was said, $4 how many. From one user to the next by index.
with recursive known as (
    (select user_id from memories where tenant = $1 and user_id > $2 order by user_id limit 1)
    union all
    select (select m.user_id from memories m
            where m.tenant = $1 and m.user_id > k.user_id order by m.user_id limit 1)
    from known k where k.user_id is not null
)
select k.user_id from known k
where k.user_id is not null
  and exists (select from memories m where m.tenant = $1 and m.user_id = k.user_id and m.created_at < $3)
limit $4

-- name: weak
-- $2 user, $3 model, $4 now, $5 and $6 the moment and the id after which to go on, $7 how many.
select m.id, m.created_at, m.language, m.speaker, m.participants, v.vector
from memories m
join vectors v on v.tenant = m.tenant and v.memory_id = m.id and v.model = $3
where m.tenant = $1 and m.user_id = $2
  and m.created_at < $4::timestamptz - interval '2160 hours'
  and (m.created_at, m.id) > ($5::timestamptz, $6::uuid)
  and m.message_id is not null and m.derived_by <> '' and not m.compressed and not m.pinned and not m.verified
  and m.source <> 'user_correction' and m.expires_at is null
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
