-- name: tenants
select tenant from tenants order by tenant

-- name: decay
-- $2 now, $3 user or null, $4 the id after which to go on, or null, $5 how many, $6 whether floors hold.
-- The formula stands in `ricordo.domain.decay`; a test holds this copy against it. Only what changes is locked.
with slice as (
    select id from memories
    where tenant = $1 and id > coalesce($4::uuid, '00000000-0000-0000-0000-000000000000')
      and ($3::text is null or user_id = $3)
    order by id limit $5
), faded as (
    select m.id, settled.factor, settled.weak
    from memories m
    cross join lateral (
        select extract(day from $2::timestamptz - greatest(m.stored_at, m.last_accessed))::integer as days) as idle
    cross join lateral (
        -- 10,000 weeks: a power too small for a double is an error here, where the formula says nothing is left
        select least(1, power(0.95::double precision, least(idle.days / 7, 10000)) + 0.3 * m.arousal + 0.2 * m.importance) as value
    ) as kept
    cross join lateral (
        select case when $6 then greatest(kept.value, 0.2 + 0.7 * m.importance) else kept.value end as factor,
               kept.value < 0.3 and m.access_count < 2 and m.importance < 0.5 as weak) as settled
    where m.tenant = $1 and m.id = any(array(select id from slice))
      and idle.days > 7 and m.archived_at is null and not m.pinned and not m.verified
      and (settled.weak or m.decay_factor <> settled.factor)
    order by m.id for update of m
), written as (
    update memories m
    set decay_factor = f.factor, archived_at = case when f.weak then $2 end,
        archive_reason = case when f.weak then 'decay' end,
        moved_at = case when f.weak then now() else m.moved_at end  -- by the real clock, whatever $2 is
    from faded f where m.tenant = $1 and m.id = f.id
    returning m.id, m.user_id, f.weak
)
select (select count(*) from slice) as examined, (select count(*) from written) as changed,
       (select id from slice order by id desc limit 1) as last,
       coalesce((select array_agg(id order by id) from written where weak), '{}') as archived,
       coalesce((select array_agg(user_id order by id) from written where weak), '{}') as archived_users

-- name: moved
-- $2 since when, $3 how many, $4 user or null. What was withdrawn has left as well: who looks for its row finds none.
(select id as memory_id, user_id, case when archived_at is not null then coalesce(archive_reason, 'decay') end as reason,
        moved_at as at
 from memories
 where tenant = $1 and moved_at < $2 and ($4::text is null or user_id = $4) order by moved_at, id limit $3)
union all
(select memory_id, user_id, null, at from withdrawn
 where tenant = $1 and at < $2 and ($4::text is null or user_id = $4) order by at, memory_id limit $3)
order by at, memory_id limit $3

-- name: told
-- $2 memory ids, $3 when they moved: what has moved once more stays.
with told as (
    select m.id
    from unnest($2::uuid[], $3::timestamptz[]) as t (id, moved_at)
    join memories m on m.tenant = $1 and m.id = t.id and m.moved_at = t.moved_at
    order by m.id for update of m
)
update memories m set moved_at = null from told where m.tenant = $1 and m.id = told.id

-- name: told_withdrawn
delete from withdrawn w using unnest($2::uuid[], $3::timestamptz[]) as t (id, at)
where w.tenant = $1 and w.memory_id = t.id and w.at = t.at

-- name: bury
insert into dead_letters (tenant, consumer, subject, sequence, message_id, code, reason, attempts, died_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (tenant, consumer, subject, sequence) do update
set code = excluded.code, reason = excluded.reason, attempts = excluded.attempts, died_at = excluded.died_at

-- name: empty_inbox
delete from inbox where tenant = $1 and handled_at < $2

-- name: empty_letters
-- What a worker drops at this moment, with the stage that it sets, is not waited for.
delete from dead_letters
where tenant = $1 and ctid = any(array(
    select ctid from dead_letters where tenant = $1 and died_at < $2 for update skip locked))
