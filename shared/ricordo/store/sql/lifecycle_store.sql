-- name: tenants
select tenant from tenants order by tenant

-- name: place
-- Where a memory is in the order in which decay goes through them.
select user_id, created_at from memories where tenant = $1 and id = $2

-- name: fading
-- $2 now, $3 user or null, $4 $5 $6 user, instant and id after which to go on, $7 how many, $8 whether floors hold.
-- A forgetting curve after Ebbinghaus, weaker where emotion or importance protect; see docs/life-of-a-memory.md.
-- In this order those are next to each other that are so on disk, more or less.
with slice as materialized (
    select id, user_id, created_at, decay_factor, access_count, importance, arousal, last_accessed,
           date_part('day', $2::timestamptz - greatest(stored_at, last_accessed)) as days,
           archived_at is null and not pinned and not verified as fades
    from memories
    where tenant = $1 and ($3::text is null or user_id = $3)
      and (user_id, created_at, id) > ($4::text, $5::timestamptz, $6::uuid)
    order by user_id, created_at, id limit $7
), kept as materialized (
    select *, 0.3 * arousal + 0.2 * importance as protection,
           -- 10,000 weeks: a power too small for a double is an error here, where the formula says nothing is left
           power(0.95::double precision, least(floor(days / 7), 10000)) + 0.3 * arousal + 0.2 * importance as value
    from slice where fades and days > 7
), faded as materialized (
    -- time alone never raises it, even where a clock was turned back
    select *, greatest(least(decay_factor, 1, value), least(1, protection),
                       case when $8 then 0.2 + 0.7 * importance end) as factor,
           value < 0.3 and access_count < 2 and importance < 0.5 as weak
    from kept
), found as (
    select array_agg(id order by id) as ids, array_agg(decay_factor order by id) as former,
           array_agg(last_accessed order by id) as accessed, array_agg(factor order by id) as factors,
           array_agg(weak order by id) as weak
    from faded where weak or decay_factor <> factor
)
select (select count(*) from slice) as examined,
       (select id from slice order by user_id desc, created_at desc, id desc limit 1) as last,
       coalesce(ids, '{}') as ids, coalesce(former, '{}') as former, coalesce(accessed, '{}') as accessed,
       coalesce(factors, '{}') as factors, coalesce(weak, '{}') as weak
from found

-- name: fade
-- $2 now, $3 memory ids; of each, $4 the factor and $5 the last use that the new factor follows from, $6 the new factor,
-- $7 whether it goes to the archive. What was used or changed since is left alone. The nested loop goes by id, as all do
-- who lock several; to lock them before would write every row twice.
update memories m
set decay_factor = f.factor, archived_at = case when f.weak then $2::timestamptz end,
    archive_reason = case when f.weak then 'decay' end,
    unreported_move_at = case when f.weak then now() else m.unreported_move_at end  -- by the real clock, whatever $2 is
from (select * from unnest($3::uuid[], $4::double precision[], $5::timestamptz[], $6::double precision[], $7::boolean[])
                        as f (id, former, accessed, factor, weak) order by id) as f
where m.tenant = $1 and m.id = f.id and m.archived_at is null and not m.pinned and not m.verified
  and m.decay_factor = f.former and m.last_accessed is not distinct from f.accessed
returning m.id, case when f.weak then m.user_id end as archived_of

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
        decay_factor = case when s.touched_at is null then m.decay_factor else 1 end,
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
