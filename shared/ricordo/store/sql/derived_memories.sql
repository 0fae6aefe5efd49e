-- Memories without a message. Each comes as one row of a JSON array, $2.

-- name: lock_users
-- $2 user ids, sorted. Who erases takes the same locks after the tombstone and before the erasure, as does who records.
select pg_advisory_xact_lock(hashtextextended($1 || '/user/' || user_id, 0)) from unnest($2::text[]) as user_id

-- name: write
-- Only if all sources exist and are the same user's, and no tombstone covers it: nothing forgotten returns in a summary.
-- Existing rows stay, with their use and the user's changes.
with offered as (
    select * from jsonb_to_recordset($2::jsonb) as d (
        id uuid, user_id text, conversation_id text, type text, kind text, title text, content text, summary text,
        language text, role text, speaker text, created_at timestamptz, timezone text, event_start timestamptz,
        event_end timestamptz, event_times tstzrange[], expires_at timestamptz, participants text[], topics text[], location text,
        valence double precision, arousal double precision, dominance double precision, primary_emotion text,
        emotional_keywords text[], emotional_trigger text, importance double precision, importance_beyond double precision,
        access_count integer, last_accessed timestamptz,
        reinforcement double precision, pinned boolean, trust double precision, source_ids uuid[],
        questions_addressed text[], key_topics jsonb, source text, confidence double precision, verified boolean,
        tags text[], refs text[], derived_by text)
), there as materialized (
    select id, user_id from memories where tenant = $1 and id = any(array(select unnest(source_ids) from offered))
)
insert into memories (tenant, id, user_id, conversation_id, type, kind, title, content, summary, language, role, speaker,
                      created_at, timezone, event_start, event_end, event_times, expires_at, participants, stated_participants,
                      topics, location, valence, arousal, dominance, primary_emotion, emotional_keywords,
                      emotional_trigger, importance, importance_beyond, access_count, last_accessed, reinforcement, pinned, trust, source_ids,
                      questions_addressed,
                      key_topics, source, confidence, verified, tags, refs, derived_by, rated_by, stated_kind, stored_at)
select $1, o.id, o.user_id, o.conversation_id, o.type, o.kind, o.title, o.content, o.summary, o.language, o.role,
       o.speaker, o.created_at, o.timezone, o.event_start, o.event_end, o.event_times, o.expires_at, o.participants, o.participants,
       o.topics, o.location, o.valence, o.arousal, o.dominance, o.primary_emotion, o.emotional_keywords,
       o.emotional_trigger, o.importance, o.importance_beyond, o.access_count, o.last_accessed, o.reinforcement, o.pinned, o.trust, o.source_ids,
       o.questions_addressed,
       o.key_topics, o.source, o.confidence, o.verified, o.tags, o.refs, o.derived_by, o.derived_by, o.kind, $3
from offered o
where not exists (
    select from unnest(o.source_ids) as s (id)
    where not exists (select from there t where t.id = s.id and t.user_id is not distinct from o.user_id))
  and not is_forgotten($1, o.user_id, o.conversation_id, '', o.created_at)
  and not exists (select from tombstones t
                  where t.tenant = $1 and t.scope = 'memory' and t.user_id = o.user_id and t.key = o.id::text)
order by o.id
on conflict (tenant, id) do nothing

-- name: begin_stages
-- $2 memory ids. There is nothing to extract: what they tell was read in their sources.
insert into stages (tenant, memory_id, user_id, conversation_id, ingested, extracted)
select $1, m.id, m.user_id, nullif(m.conversation_id, ''), $3, $3
from memories m where m.tenant = $1 and m.id = any($2::uuid[]) and m.message_id is null
order by m.id
on conflict (tenant, memory_id) do nothing

-- name: stages
select memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted
from stages where tenant = $1 and memory_id = any($2::uuid[])

-- name: withdraw
-- $2 ids of memories without a message, which others take the place of; what the user has put right or confirmed stays.
-- Rows go in the order of their ids.
with locked as (
    select id from memories
    where tenant = $1 and id = any($2::uuid[]) and message_id is null and source <> 'user_correction' and not verified
    order by id for update
), gone as (
    delete from memories m using locked l where m.tenant = $1 and m.id = l.id returning m.id, m.user_id
), unstaged as (
    delete from stages s using locked l where s.tenant = $1 and s.memory_id = l.id
), unencoded as (
    delete from vectors v using locked l where v.tenant = $1 and v.memory_id = l.id
)
insert into withdrawn_memories (tenant, memory_id, user_id)
select $1, id, user_id from gone order by id
on conflict (tenant, memory_id) do update set withdrawn_at = now()
returning memory_id

-- name: derived
-- $2 a memory, $3 its user, $4 its conversation, $5 when it was sent. Memories derived from it: its synthesis, the summary
-- of its session, insights.
select s.id, s.kind, s.source_ids
from memories m join memories s on s.tenant = $1 and s.id = m.synthesis_id
where m.tenant = $1 and m.id = $2
union all
select id, kind, source_ids from memories
where tenant = $1 and conversation_id = $4 and kind = 'summary' and created_at >= $5 and $2 = any(source_ids)
union all
select id, kind, source_ids from memories
where tenant = $1 and user_id = $3 and kind = 'reflection' and message_id is null and $2 = any(source_ids)

-- name: locked
-- $2 ids
select * from memories where tenant = $1 and id = any($2::uuid[]) order by id for update

-- name: uncompress
-- $2 ids of memories that may be condensed anew.
with locked as (
    select id from memories where tenant = $1 and id = any($2::uuid[]) order by id for update
)
update memories m set compressed = false, synthesis_id = null from locked l where m.tenant = $1 and m.id = l.id
