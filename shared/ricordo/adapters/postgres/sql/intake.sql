-- name: known_tenant
insert into tenants (tenant) values ($1) on conflict do nothing

-- name: lock_conversations
-- $1 tenant, $2 conversation ids, sorted: whoever needs several takes them in the same order
select pg_advisory_xact_lock(hashtextextended($1 || '/' || conversation, 0))
from unnest($2::text[]) as conversation

-- name: forgotten
-- Which of the messages a tombstone stands before. $2 is a JSON array of message_id, user_id, conversation_id.
select m.message_id
from jsonb_to_recordset($2::jsonb) as m (message_id text, user_id text, conversation_id text)
where exists (
    select 1 from tombstones t
    where t.tenant = $1 and t.user_id = m.user_id
      and ((t.scope = 'message' and t.key = m.message_id)
           or (t.scope = 'conversation' and t.key = m.conversation_id)
           or t.scope = 'user')
)

-- name: keep_history
insert into history (tenant, message_id, memory_id, user_id, conversation_id, role, speaker, content, digest, said_at,
                     timezone, language, metadata, stored_at)
select $1, m.message_id, m.memory_id, m.user_id, m.conversation_id, m.role, m.speaker, m.content,
       decode(m.digest, 'hex'), m.said_at, m.timezone, m.language, m.metadata, $3
from jsonb_to_recordset($2::jsonb) as m (
    message_id text, memory_id uuid, user_id text, conversation_id text, role text, speaker text, content text,
    digest text, said_at timestamptz, timezone text, language text, metadata jsonb)
order by m.message_id
on conflict (tenant, message_id) do nothing
returning message_id

-- name: digests
select message_id, digest from history where tenant = $1 and message_id = any($2::text[])

-- name: keep_memories
insert into memories (tenant, id, user_id, message_id, conversation_id, kind, content, language, role, speaker,
                      created_at, timezone, participants, stated_participants, location, importance, stated_kind,
                      stated_importance, tags, expires_at, trust, source, stored_at)
select $1, m.memory_id, m.user_id, m.message_id, m.conversation_id, coalesce(m.kind, 'message'), m.content,
       coalesce(m.language, ''), m.role, m.speaker, m.said_at,
       coalesce(m.timezone, (
           select h.timezone from history h
           where h.tenant = $1 and h.user_id = m.user_id and h.timezone is not null
             and (h.said_at, h.message_id) <= (m.said_at, m.message_id)
           order by h.said_at desc, h.message_id desc limit 1), 'UTC'),
       m.participants, m.participants, m.location, coalesce(m.importance, 0.5), m.kind, m.importance, m.tags,
       m.expires_at, m.trust, m.source, $3
from jsonb_to_recordset($2::jsonb) as m (
    message_id text, memory_id uuid, user_id text, conversation_id text, role text, speaker text, content text,
    said_at timestamptz, timezone text, language text, participants text[], location text, kind text,
    importance double precision, tags text[], expires_at timestamptz, trust double precision, source text)
on conflict (tenant, id) do nothing

-- name: begin_stages
-- A message that belongs to the history only has nothing to wait for: all its stages are done.
insert into stages (tenant, memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed,
                    extracted)
select $1, m.memory_id, m.message_id, m.user_id, m.conversation_id, $3, done, done, done, done
from jsonb_to_recordset($2::jsonb) as m (
    message_id text, memory_id uuid, user_id text, conversation_id text, memorable boolean),
    lateral (select case when m.memorable then null::timestamptz else $3 end as done) as finished
on conflict (tenant, memory_id) do nothing

-- name: link_in_time
-- The new memories and those next to them, before and after, by time and id within the conversation. Returns those
-- that were there already and now follow another memory: their window has changed.
with fresh as (
    select id, conversation_id, created_at, message_id from memories where tenant = $1 and id = any($2::uuid[])
), beside as (
    select id from fresh
    union
    select before.id from fresh f cross join lateral (
        select m.id from memories m
        where m.tenant = $1 and m.conversation_id = f.conversation_id
          and (m.created_at, m.message_id) < (f.created_at, f.message_id)
        order by m.created_at desc, m.message_id desc limit 1) as before
    union
    select after.id from fresh f cross join lateral (
        select m.id from memories m
        where m.tenant = $1 and m.conversation_id = f.conversation_id
          and (m.created_at, m.message_id) > (f.created_at, f.message_id)
        order by m.created_at, m.message_id limit 1) as after
), placed as (
    select m.id, m.preceding_id as formerly, before.id as preceding_id, after.id as following_id
    from beside join memories m on m.tenant = $1 and m.id = beside.id
    left join lateral (
        select p.id from memories p
        where p.tenant = $1 and p.conversation_id = m.conversation_id
          and (p.created_at, p.message_id) < (m.created_at, m.message_id)
        order by p.created_at desc, p.message_id desc limit 1) as before on true
    left join lateral (
        select n.id from memories n
        where n.tenant = $1 and n.conversation_id = m.conversation_id
          and (n.created_at, n.message_id) > (m.created_at, m.message_id)
        order by n.created_at, n.message_id limit 1) as after on true
)
update memories m
set preceding_id = placed.preceding_id, following_id = placed.following_id
from placed
where m.tenant = $1 and m.id = placed.id
  and (m.preceding_id, m.following_id) is distinct from (placed.preceding_id, placed.following_id)
returning m.id, placed.formerly is distinct from placed.preceding_id as displaced

-- name: rezone
-- Late arrivals that name a zone: what came after them without one, and was taken for another zone. Its time fields
-- are derived again, by enrichment: the missing stage brings it there.
with fresh as (
    select user_id, min(created_at) as since from memories
    where tenant = $1 and id = any($2::uuid[]) group by user_id
), placed as (
    select m.id, coalesce((
        select h.timezone from history h
        where h.tenant = $1 and h.user_id = m.user_id and h.timezone is not null
          and (h.said_at, h.message_id) <= (m.created_at, m.message_id)
        order by h.said_at desc, h.message_id desc limit 1), 'UTC') as timezone
    from fresh f join memories m
        on m.tenant = $1 and m.user_id = f.user_id and m.created_at >= f.since and m.message_id is not null
), rezoned as (
    update memories m set timezone = placed.timezone, local_date = null
    from placed where m.tenant = $1 and m.id = placed.id and m.timezone <> placed.timezone
    returning m.id
)
update stages s set enriched = null from rezoned r where s.tenant = $1 and s.memory_id = r.id

-- name: progress
select memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted
from stages where tenant = $1 and memory_id = any($2::uuid[])
