-- The messages of a batch come as one JSON array, $2; `n` is the place of each in it.

-- name: known_tenant
insert into tenants (tenant) values ($1) on conflict do nothing

-- name: lock
-- $2 what to lock: conversations and users, sorted, so that whoever needs several takes them in the same order.
-- A conversation, because links connect its messages; a user, because a zone holds for all that comes after it.
-- Who writes a tombstone takes the same locks before the erasure, so that nothing slips in between.
select pg_advisory_xact_lock(hashtextextended($1 || '/' || name, 0)) from unnest($2::text[]) as name

-- name: count_messages
-- $2 users, $3 start of the day. Counts the messages of users without a row, under their locks.
with unknown as materialized (
    select user_id from unnest($2::text[]) as u (user_id)
    where not exists (select from quota_counters t where t.tenant = $1 and t.user_id = u.user_id)
)
insert into quota_counters (tenant, user_id, message_count, day_start, day_count)
select $1, u.user_id, c.message_count, $3, c.day_count
from unknown u cross join lateral (
    select count(*) as message_count, count(*) filter (where h.stored_at >= $3::timestamptz) as day_count
    from history h where h.tenant = $1 and h.user_id = u.user_id) as c
order by u.user_id
on conflict (tenant, user_id) do nothing

-- name: beyond_quota
-- $3 how many of a user may be kept, $4 how many since the day began, which is $5; null for any number. Returned are the
-- ids that there is no room for, and whether the day has less of it. What is kept or forgotten already takes none.
with offered as (
    select distinct on (m.message_id) m.message_id, m.user_id, m.n
    from jsonb_to_recordset($2::jsonb) as m (
        n integer, message_id text, user_id text, conversation_id text, sent_at timestamptz)
    where not exists (select from history h where h.tenant = $1 and h.message_id = m.message_id)
      and not is_forgotten($1, m.user_id, m.conversation_id, m.message_id, m.sent_at)
    order by m.message_id, m.n
), ranked as (
    select message_id, user_id, row_number() over (partition by user_id order by n) as place from offered
)
select r.message_id, coalesce(room.day < room.whole, room.whole is null) as of_a_day
from ranked r
    join quota_counters t on t.tenant = $1 and t.user_id = r.user_id
    cross join lateral (
        select $3::bigint - t.message_count as whole,
               $4::bigint - case when t.day_start = $5::timestamptz then t.day_count else 0 end as day) as room
where r.place > least(room.whole, room.day)

-- name: add_counts
-- $2 users, $3 how many messages of each are new, $4 when the day began.
update quota_counters t
set message_count = t.message_count + k.number, day_start = $4::timestamptz,
    day_count = case when t.day_start = $4::timestamptz then t.day_count else 0 end + k.number
from unnest($2::text[], $3::bigint[]) as k (user_id, number)
where t.tenant = $1 and t.user_id = k.user_id

-- name: keep_history
-- The first of each id in the batch, unless a tombstone covers it or the id is taken.
with offered as (
    select distinct on (m.message_id) m.*
    from jsonb_to_recordset($2::jsonb) as m (
        n integer, message_id text, memory_id uuid, user_id text, conversation_id text, role text, speaker text,
        content text, digest text, sent_at timestamptz, timezone text, language text, metadata jsonb)
    where not is_forgotten($1, m.user_id, m.conversation_id, m.message_id, m.sent_at)
    order by m.message_id, m.n
)
insert into history (tenant, message_id, memory_id, user_id, conversation_id, role, speaker, content, digest, sent_at,
                     timezone, language, metadata, stored_at)
select $1, o.message_id, o.memory_id, o.user_id, o.conversation_id, o.role, o.speaker, o.content,
       decode(o.digest, 'hex'), o.sent_at, o.timezone, o.language, o.metadata, $3
from offered o order by o.message_id
on conflict (tenant, message_id) do nothing
returning message_id, digest

-- name: keep_memories
-- $3 which of the messages. Each comes with those before and after it in its conversation, by time and id, be they
-- there or new as well; and in the zone that the user named last before it, or in its message.
with fresh as (
    select m.*, lag(m.memory_id) over story as earlier_id, lag(m.sent_at) over story as earlier_at,
           lag(m.message_id) over story as earlier_message, lead(m.memory_id) over story as later_id,
           lead(m.sent_at) over story as later_at, lead(m.message_id) over story as later_message
    from jsonb_to_recordset($2::jsonb) as m (
        n integer, message_id text, memory_id uuid, user_id text, conversation_id text, role text, speaker text,
        content text, sent_at timestamptz, timezone text, language text, participants text[], location text, kind text,
        importance double precision, tags text[], expires_at timestamptz, trust double precision, source text,
        memorable boolean)
    where m.n = any($3::integer[]) and m.memorable
    window story as (partition by m.conversation_id order by m.sent_at, m.message_id)
)
insert into memories (tenant, id, user_id, message_id, conversation_id, kind, content, language, role, speaker,
                      created_at, timezone, preceding_id, following_id, participants, stated_participants, location,
                      importance, stated_kind, stated_importance, tags, expires_at, trust, source, stored_at)
select $1, f.memory_id, f.user_id, f.message_id, f.conversation_id, coalesce(f.kind, 'message'), f.content,
       coalesce(f.language, ''), f.role, f.speaker, f.sent_at,
       coalesce(f.timezone, (
           select h.timezone from history h
           where h.tenant = $1 and h.user_id = f.user_id and h.timezone is not null
             and (h.sent_at, h.message_id) <= (f.sent_at, f.message_id)
           order by h.sent_at desc, h.message_id desc limit 1), 'UTC'),
       case when (before.created_at, before.message_id) > (f.earlier_at, f.earlier_message) then before.id
            else coalesce(f.earlier_id, before.id) end,
       case when (after.created_at, after.message_id) < (f.later_at, f.later_message) then after.id
            else coalesce(f.later_id, after.id) end,
       f.participants, f.participants, f.location, coalesce(f.importance, 0.5), f.kind, f.importance, f.tags,
       f.expires_at, f.trust, f.source, $4
from fresh f
left join lateral (
    select m.id, m.created_at, m.message_id from memories m
    where m.tenant = $1 and m.conversation_id = f.conversation_id and m.message_id is not null
      and (m.created_at, m.message_id) < (f.sent_at, f.message_id)
    order by m.created_at desc, m.message_id desc limit 1) as before on true
left join lateral (
    select m.id, m.created_at, m.message_id from memories m
    where m.tenant = $1 and m.conversation_id = f.conversation_id and m.message_id is not null
      and (m.created_at, m.message_id) > (f.sent_at, f.message_id)
    order by m.created_at, m.message_id limit 1) as after on true
order by f.memory_id
on conflict (tenant, id) do nothing

-- name: begin_stages
-- $3 which of the messages. One that belongs to the history only has nothing to wait for: all its stages are done.
insert into stages (tenant, memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted)
select $1, m.memory_id, m.message_id, m.user_id, m.conversation_id, $4, done, done, done, done
from jsonb_to_recordset($2::jsonb) as m (
        n integer, message_id text, memory_id uuid, user_id text, conversation_id text, memorable boolean)
    cross join lateral (select case when not m.memorable then $4::timestamptz end as done) as finished
where m.n = any($3::integer[])
order by m.memory_id
on conflict (tenant, memory_id) do nothing

-- name: update_neighbours
-- $2 message ids and $3 memory ids that are new. Sets what their arrival changes in the memories around them: that they
-- now come before or after these; and the zone of what follows a message that names one, up to the next that does.
-- Rows are locked in the order of their ids, which is everybody's order.
with fresh as (
    select id, preceding_id, following_id from memories where tenant = $1 and id = any($3::uuid[])
), adjacent as (
    select preceding_id as id, null::uuid as preceding_id, id as following_id from fresh
    where preceding_id <> all($3::uuid[])
    union all
    select following_id, id, null from fresh where following_id <> all($3::uuid[])
), named as materialized (  -- by the key first: to few messages that name a zone, the index of zones is no shortcut
    select user_id, sent_at, message_id, timezone from history where tenant = $1 and message_id = any($2::text[])
), spans as materialized (  -- a bound that is computed where it is compared reaches no index past row-level security
    select h.user_id, h.timezone, h.sent_at, h.message_id,
           coalesce(next.sent_at, 'infinity') as end_at, next.message_id as end_id
    from named h
    left join lateral (
        select n.sent_at, n.message_id from history n
        where n.tenant = $1 and n.user_id = h.user_id and n.timezone is not null
          and (n.sent_at, n.message_id) > (h.sent_at, h.message_id)
        order by n.sent_at, n.message_id limit 1) as next on true
    where h.timezone is not null
), zoned as (
    select m.id, s.timezone
    from spans s
    join memories m on m.tenant = $1 and m.user_id = s.user_id and m.message_id is not null
        and m.created_at >= s.sent_at and m.created_at <= s.end_at
        and (m.created_at, m.message_id) > (s.sent_at, s.message_id)
        and (s.end_id is null or (m.created_at, m.message_id) < (s.end_at, s.end_id))
        and m.timezone <> s.timezone
), changed as (
    select id, (array_agg(preceding_id) filter (where preceding_id is not null))[1] as preceding_id,
           (array_agg(following_id) filter (where following_id is not null))[1] as following_id,
           (array_agg(timezone) filter (where timezone is not null))[1] as timezone
    from (select id, preceding_id, following_id, null as timezone from adjacent
          union all select id, null, null, timezone from zoned) as each
    group by id
), locked as (
    select m.id, c.preceding_id, c.following_id, c.timezone
    from changed c join memories m on m.tenant = $1 and m.id = c.id order by m.id for update of m
)
update memories m
set preceding_id = coalesce(l.preceding_id, m.preceding_id),
    following_id = coalesce(l.following_id, m.following_id),
    timezone = coalesce(l.timezone, m.timezone),
    -- what was derived from the former zone does not count any more
    local_date = case when l.timezone is null then m.local_date end
from locked l
where m.tenant = $1 and m.id = l.id
returning m.id, l.timezone is not null as rezoned

-- name: derive_again
-- Enrichment has to see these once more; the missing stage says so until it has.
with locked as (
    select memory_id from stages where tenant = $1 and memory_id = any($2::uuid[]) order by memory_id for update
)
update stages s set enriched = null from locked where s.tenant = $1 and s.memory_id = locked.memory_id
returning s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed,
          s.extracted

-- name: reject_forgotten
-- $3 which messages were kept out, $4 when they came: it is known of each of them, too, that it is forgotten.
insert into tombstones (tenant, scope, key, user_id, requested_at, erased_at)
select distinct $1, 'erased', m.message_id, m.user_id, $4::timestamptz, $4::timestamptz
from jsonb_to_recordset($2::jsonb) as m (n integer, message_id text, user_id text)
where m.n = any($3::integer[])
  and not exists (select from tombstones t
                  where t.tenant = $1 and t.scope = 'message' and t.user_id = m.user_id and t.key = m.message_id)
order by m.message_id, m.user_id
on conflict (tenant, scope, user_id, key) do nothing

-- name: states
-- The state of each message: whether a tombstone covers it, the digest of its id, its stages; and the indexed memory right
-- after it, whose point has another predecessor.
select m.n, is_forgotten($1, m.user_id, m.conversation_id, m.message_id, m.sent_at) as forgotten,
       h.digest, s.*, f.memory_id as displaced
from jsonb_to_recordset($2::jsonb) as m (
    n integer, message_id text, memory_id uuid, user_id text, conversation_id text, sent_at timestamptz)
left join history h on h.tenant = $1 and h.message_id = m.message_id
left join stages s on s.tenant = $1 and s.memory_id = m.memory_id
left join memories k on k.tenant = $1 and k.id = m.memory_id
left join stages f on f.tenant = $1 and f.memory_id = k.following_id and f.indexed is not null
order by m.n
