-- name: tenants
select tenant from tenants order by tenant

-- name: receive
-- Which of the events are new to the consumer; recorded in the transaction of their effect.
insert into inbox (tenant, consumer, event_id, handled_at)
select $1, $2, event_id, $4 from unnest($3::uuid[]) as event_id order by event_id
on conflict do nothing
returning event_id

-- name: reinforce
-- $2 user ids, $3 memory ids, $4 instants: one row per access. Several accesses of a memory in one batch add up.
with accesses as (
    select user_id, memory_id, count(*)::integer as times, max(at) as at
    from unnest($2::text[], $3::uuid[], $4::timestamptz[]) as a (user_id, memory_id, at)
    group by user_id, memory_id
), locked as (
    select m.id, a.times, a.at from memories m join accesses a on a.memory_id = m.id and a.user_id = m.user_id
    where m.tenant = $1 order by m.id for update of m
)
update memories m
set access_count = m.access_count + l.times,
    last_accessed = greatest(m.last_accessed, l.at),
    reinforcement = m.reinforcement + 0.05 * l.times,
    importance = greatest(m.importance, least(0.95, m.importance + 0.02 * l.times)),
    decay_factor = 1
from locked l where m.tenant = $1 and m.id = l.id

-- name: decay
-- $2 now, $3 user or null, $4 the id after which to go on, or null, $5 how many, $6 whether floors hold.
-- The formula stands in `ricordo.domain.decay`; a test holds this copy against it.
with slice as (
    select id, user_id,
           floor(extract(epoch from ($2::timestamptz - greatest(coalesce(last_accessed, stored_at), stored_at)))
                 / 86400)::integer as days,
           arousal, importance, access_count, decay_factor, archived_at, pinned or verified as kept
    from memories
    where tenant = $1 and ($3::text is null or user_id = $3) and ($4::uuid is null or id > $4)
    order by id limit $5
    for update
), faded as (
    select *, least(1.0, power(0.95::double precision, days / 7) + 0.3 * arousal + 0.2 * importance) as raw
    from slice where days > 7 and not kept and archived_at is null
), settled as (
    select *, case when $6 then greatest(raw, 0.2 + 0.7 * importance) else raw end as factor,
           raw < 0.3 and access_count < 2 and importance < 0.5 as weak
    from faded
), written as (
    update memories m
    set decay_factor = s.factor, archived_at = case when s.weak then $2 else m.archived_at end
    from settled s
    where m.tenant = $1 and m.id = s.id and (m.decay_factor <> s.factor or s.weak)
    returning m.id, m.user_id, s.weak
)
select (select count(*) from slice) as examined, (select count(*) from written) as changed,
       (select id from slice order by id desc limit 1) as last,
       coalesce((select array_agg(id order by id) from written where weak), '{}') as archived,
       coalesce((select array_agg(user_id order by id) from written where weak), '{}') as archived_users

-- name: bury
insert into dead_letters (tenant, consumer, subject, sequence, message_id, code, reason, attempts, died_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (tenant, consumer, subject, sequence) do update
set code = excluded.code, reason = excluded.reason, attempts = excluded.attempts, died_at = excluded.died_at

-- name: empty_inbox
delete from inbox where tenant = $1 and handled_at < $2
