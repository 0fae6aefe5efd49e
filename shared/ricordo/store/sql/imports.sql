-- What an export has besides messages, of memories that were taken in again.

-- name: forgotten
-- $2 user, $3 messages. When all of the user was last forgotten, and which of the messages were.
select (select max(requested_at) from tombstones where tenant = $1 and scope = 'user' and user_id = $2) as user_at,
       (select array_agg(key) from tombstones
        where tenant = $1 and scope in ('message', 'erased') and key = any($3::text[]) and user_id = $2) as messages

-- name: to_correct
-- $2 user, $3 ids of memories, $4 the text of each that the user stands behind. Those here of which they do not yet.
select id from memories
where tenant = $1 and id = any($3::uuid[]) and user_id is not distinct from $2 and source <> 'user_correction'
  and (message_id is not null or not verified and content <> ($4::text[])[array_position($3::uuid[], id)])

-- name: insights
-- $3 what they are about.
select insight_hash, memory_id from insights where tenant = $1 and user_id = $2 and insight_hash = any($3::uuid[])

-- name: keep_insights
-- $2 user, $3 what they are about, $4 the memories. Existing ones stay.
insert into insights (tenant, user_id, insight_hash, memory_id)
select $1, $2, i.insight_hash, i.memory_id from unnest($3::uuid[], $4::uuid[]) as i (insight_hash, memory_id)
order by i.insight_hash
on conflict (tenant, user_id, insight_hash) do nothing

-- name: use
-- $2 user, $3 one JSON array of what was kept, $4 ids of its memories. Each state counts once.
with offered as (
    select * from jsonb_to_recordset($3::jsonb) as o (
        id uuid, event_id uuid, access_count integer, last_accessed timestamptz, reinforcement double precision,
        pinned boolean, verified boolean, stored_at timestamptz, archived_at timestamptz, archive_reason text,
        compressed boolean, synthesis_id uuid)
), locked as (
    select id, access_count from memories
    where tenant = $1 and id = any($4::uuid[]) and user_id is not distinct from $2 order by id for update
), new as (
    insert into inbox (tenant, consumer, event_id, handled_at)
    select $1, 'import', o.event_id, now() from offered o join locked l on l.id = o.id order by o.event_id
    on conflict do nothing
    returning event_id
), applied as (
    select o.*, l.access_count <= o.access_count as is_latest, greatest(0, o.access_count - l.access_count) as uses
    from offered o join new n on n.event_id = o.event_id join locked l on l.id = o.id
)
update memories m
set access_count = greatest(m.access_count, w.access_count),
    last_accessed = greatest(m.last_accessed, w.last_accessed),
    reinforcement = greatest(m.reinforcement, w.reinforcement),
    importance = importance_after_uses(m.importance, m.importance_beyond, w.uses),
    importance_beyond = beyond_after_uses(m.importance, m.importance_beyond, w.uses),
    pinned = m.pinned or w.pinned,
    verified = m.verified or w.verified,
    stored_at = least(m.stored_at, w.stored_at),
    archived_at = case when w.is_latest then coalesce(m.archived_at, w.archived_at) else m.archived_at end,
    archive_reason = case when w.is_latest and m.archived_at is null then w.archive_reason else m.archive_reason end,
    unreported_move_at = now(),  -- also of what does not move: its importance is in its point
    compressed = m.compressed or w.compressed and w.synthesis_id is not null,
    synthesis_id = coalesce(m.synthesis_id, w.synthesis_id)
from applied w
where m.tenant = $1 and m.id = w.id
returning m.id, case when m.archived_at is not null then coalesce(m.archive_reason, 'decay') end as archive_reason
