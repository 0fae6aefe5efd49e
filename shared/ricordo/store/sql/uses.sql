-- name: hold_memories
-- $2 user ids, $3 memory ids: those that there are, held until the end. Whoever changes what is known of the uses of a
-- memory holds it first, so that the next statement sees what others have written. Found by id, not among all of a user.
select m.id, m.user_id
from unnest($2::text[], $3::uuid[]) as a (user_id, memory_id)
join memories m on m.tenant = $1 and m.id = a.memory_id
where m.user_id is not distinct from a.user_id
order by m.id for update of m

-- name: use
-- $2 memory ids, all of them held, $3 recall ids: each pair once; $4 when a recall was, by its event, or null, $5 what is
-- said of it, or null; $6 when that was told.
-- The rules stand in `ricordo.memory.reinforcement`; a test holds this copy against them.
with told as (
    select t.memory_id, t.recall_id, u.accessed_at as former_access, u.verdict as former_verdict,
           coalesce(u.accessed_at, t.accessed_at) as accessed_at, coalesce(t.verdict, u.verdict) as verdict, t.noted_at
    from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::timestamptz[])
        as t (memory_id, recall_id, accessed_at, verdict, noted_at)
    left join uses u on u.tenant = $1 and u.memory_id = t.memory_id and u.recall_id = t.recall_id
), changed as (
    select *,
           (coalesce(verdict, 'used') = 'used')::integer
           - (case when former_verdict is null then former_access is not null else former_verdict = 'used' end)::integer
               as times,
           case when former_access is null and accessed_at is not null then accessed_at
                when verdict = 'used' then noted_at end as touched_at
    from told where (accessed_at, verdict) is distinct from (former_access, former_verdict)
), kept as (
    insert into uses (tenant, memory_id, recall_id, accessed_at, verdict, noted_at)
    select $1, memory_id, recall_id, accessed_at, verdict, noted_at from changed order by memory_id, recall_id
    on conflict (tenant, memory_id, recall_id) do update
    set accessed_at = excluded.accessed_at, verdict = excluded.verdict, noted_at = excluded.noted_at
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
        moved_at = case when s.touched_at is null or m.archived_at is null then m.moved_at else now() end
    from summed s where m.tenant = $1 and m.id = s.memory_id and (s.times <> 0 or s.touched_at is not null)
)
select memory_id, times, touched_at is not null as touched from changed

-- name: empty_uses
-- $2 before when, $3 how many: what somebody else holds is left to the next time.
delete from uses
where tenant = $1 and ctid = any(array(
    select ctid from uses where tenant = $1 and noted_at < $2 order by noted_at limit $3 for update skip locked))
