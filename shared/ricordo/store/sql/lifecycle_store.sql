-- name: tenants
select tenant from tenants order by tenant

-- name: place
-- Where a memory is in the order in which the pass goes through them.
select user_id, created_at from memories where tenant = $1 and id = $2

-- fragment: faded
archived_at is null and access_count < 2 and importance < 0.5
and decay_factor($2, stored_at, last_accessed, null, importance, arousal, pinned or verified, false) < 0.3

-- name: archive_faded
-- $2 now, $3 user or null, $4 $5 $6 user, instant and id after which to go on, $7 how many. In this order those are next to each
-- other that are so on disk, more or less. What is used, pinned or verified meanwhile is left alone.
with slice as materialized (
    select id, user_id, created_at,
-- include: faded
           as is_faded
    from memories
    where tenant = $1 and ($3::text is null or user_id = $3)
      and (user_id, created_at, id) > ($4::text, $5::timestamptz, $6::uuid)
    order by user_id, created_at, id limit $7
), locked as (
    select id from memories m
    where tenant = $1 and id = any(array(select s.id from slice s where s.is_faded)) and
-- include: faded
    order by id for update of m
), archived as (
    update memories m
    set archived_at = $2, archive_reason = 'decay', unreported_move_at = now()  -- by the real clock, whatever $2 is
    from locked l where m.tenant = $1 and m.id = l.id
    returning m.id, m.user_id
), gone as (
    select array_agg(id order by id) as ids, array_agg(user_id order by id) as users from archived
)
select (select count(*) from slice) as examined,
       (select id from slice order by user_id desc, created_at desc, id desc limit 1) as last,
       (select max(user_id) from slice) as last_user,
       coalesce(ids, '{}') as ids, coalesce(users, '{}') as users
from gone

-- name: moved
-- $2 since when, $3 how many, $4 user or null. What was withdrawn has left as well: who looks for its row finds none.
(select id as memory_id, user_id, case when archived_at is not null then coalesce(archive_reason, 'decay') end as reason,
        unreported_move_at as at
 from memories
 where tenant = $1 and unreported_move_at < $2 and ($4::text is null or user_id = $4) order by unreported_move_at, id limit $3)
union all
(select memory_id, user_id, null, withdrawn_at from withdrawn_memories
 where tenant = $1 and withdrawn_at < $2 and ($4::text is null or user_id = $4) order by withdrawn_at, memory_id limit $3)
order by at, memory_id limit $3

-- name: mark_reported
-- $2 memory ids, $3 when they moved: what has moved once more stays.
with given as (
    select m.id
    from unnest($2::uuid[], $3::timestamptz[]) as t (id, unreported_move_at)
    join memories m on m.tenant = $1 and m.id = t.id and m.unreported_move_at = t.unreported_move_at
    order by m.id for update of m
)
update memories m set unreported_move_at = null from given where m.tenant = $1 and m.id = given.id

-- name: drop_withdrawn
delete from withdrawn_memories w using unnest($2::uuid[], $3::timestamptz[]) as t (id, at)
where w.tenant = $1 and w.memory_id = t.id and w.withdrawn_at = t.at

-- name: is_forgotten
-- $2 user, $3 conversation, $4 message, $5 when it was sent; null: before all tombstones.
select is_forgotten($1, $2, $3, $4, coalesce($5::timestamptz, '-infinity'))

-- name: record_dead_letter
insert into dead_letters (tenant, consumer, subject, sequence, message_id, memory_id, code, reason, attempts, died_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (tenant, consumer, subject, sequence) do update
set code = excluded.code, reason = excluded.reason, attempts = excluded.attempts, died_at = excluded.died_at,
    memory_id = excluded.memory_id

-- name: empty_inbox
-- $2 before when, $3 how many: what somebody else holds is left to the next time.
delete from inbox
where tenant = $1 and ctid = any(array(
    select ctid from inbox where tenant = $1 and handled_at < $2 order by handled_at limit $3 for update skip locked))

-- name: delete_old_dead_letters
-- What a worker drops at this moment, with the stage that it sets, is not waited for.
-- $2 before when, $3 how many: what somebody else holds is left to the next time.
delete from dead_letters
where tenant = $1 and ctid = any(array(
    select ctid from dead_letters where tenant = $1 and died_at < $2 order by died_at limit $3 for update skip locked))

-- name: lock_memories
-- $2 user ids, $3 memory ids. Locks existing memories before their uses change, so that the next statement sees what
-- concurrent transactions have written. Found by id, not among all of a user.
select m.id, m.user_id
from unnest($2::text[], $3::uuid[]) as a (user_id, memory_id)
join memories m on m.tenant = $1 and m.id = a.memory_id
where m.user_id is not distinct from a.user_id
order by m.id for update of m

-- name: use
-- $2 memory ids, all locked, $3 recall ids: each pair once; $4 time of the recall, by its event, or null, $5 feedback, or
-- null; $6 time of the feedback.
-- A recall adds 0.02 to the importance, up to 0.95, and 0.05 to the reinforcement; the last verdict on it prevails
-- over its event, in whatever order they come. An irrelevant one loses what this recall added.
with given as (
    select t.memory_id, t.recall_id, u.accessed_at as former_access, u.verdict as former_verdict,
           coalesce(u.accessed_at, t.accessed_at) as accessed_at, coalesce(t.verdict, u.verdict) as verdict, t.updated_at
    from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::timestamptz[])
        as t (memory_id, recall_id, accessed_at, verdict, updated_at)
    left join memory_uses u on u.tenant = $1 and u.memory_id = t.memory_id and u.recall_id = t.recall_id
), changed as (
    select *,
           (coalesce(verdict, 'used') = 'used')::integer
           - (case when former_verdict is null then former_access is not null else former_verdict = 'used' end)::integer
               as times,
           case when former_access is null and accessed_at is not null then accessed_at
                when verdict = 'used' then updated_at end as touched_at
    from given where (accessed_at, verdict) is distinct from (former_access, former_verdict)
), kept as (
    insert into memory_uses (tenant, memory_id, recall_id, accessed_at, verdict, updated_at)
    select $1, memory_id, recall_id, accessed_at, verdict, updated_at from changed order by memory_id, recall_id
    on conflict (tenant, memory_id, recall_id) do update
    set accessed_at = excluded.accessed_at, verdict = excluded.verdict, updated_at = excluded.updated_at
), summed as (
    select memory_id, sum(times)::integer as times, max(touched_at) as touched_at from changed group by memory_id
), written as (
    update memories m
    set access_count = greatest(0, m.access_count + s.times),
        reinforcement = greatest(0, m.reinforcement + 0.05 * s.times),
        importance = importance_after_uses(m.importance, m.importance_beyond, s.times),
        importance_beyond = beyond_after_uses(m.importance, m.importance_beyond, s.times),
        last_accessed = greatest(m.last_accessed, s.touched_at),
        archived_at = case when s.touched_at is null then m.archived_at end,  -- what is used again comes back
        archive_reason = case when s.touched_at is null then m.archive_reason end,
        unreported_move_at = case when s.touched_at is null or m.archived_at is null then m.unreported_move_at else now() end
    from summed s where m.tenant = $1 and m.id = s.memory_id and (s.times <> 0 or s.touched_at is not null)
)
select memory_id, times, touched_at is not null as touched from changed

-- name: empty_uses
-- $2 before when, $3 how many: what somebody else holds is left to the next time.
delete from memory_uses
where tenant = $1 and ctid = any(array(
    select ctid from memory_uses where tenant = $1 and updated_at < $2 order by updated_at limit $3 for update skip locked))
