-- What enrichment reads and writes.

-- fragment: write
-- $2 rows. Values of the bot override derived ones; use and decay stay. What was
-- derived in a zone which is no longer the memory's, or from words which are not, is not written: it would undo the
-- correction of its time, or tell of what it says no more. What
-- rules derived with a language model ("rules-2+model") stays when rules derive again without one; and what lifecycle
-- derived, of memories that it has made itself, stays always.
derived as (
    select * from jsonb_to_recordset($2::jsonb) as d (
        memory_id uuid, timezone text, type text, kind text, title text, token_count integer, local_date date,
        time_of_day text, day_of_week text, event_start timestamptz, event_end timestamptz, event_times tstzrange[], participants text[],
        topics text[], valence double precision, arousal double precision, dominance double precision,
        primary_emotion text, emotional_keywords text[], emotional_trigger text, importance double precision,
        informative double precision, version text, rated_by text, text_hash text)
), locked as (
    select id, derived_by, rated_by, importance, encode(sha256(convert_to(content, 'UTF8')), 'hex') as text_hash from memories
    where tenant = $1 and id = any(array(select memory_id from derived)) and (select users from held) >= 0
    order by id for update
), judged as (
    select d.*, l.derived_by = 'lifecycle' as made,
           l.derived_by = 'lifecycle'
               or position('+' in coalesce(l.derived_by, '')) > 0 and position('+' in d.version) = 0 as described,
           l.rated_by = 'lifecycle'
               or position('+' in coalesce(l.rated_by, '')) > 0 and position('+' in d.rated_by) = 0 as rated
    from derived d join locked l on l.id = d.memory_id and l.text_hash = coalesce(d.text_hash, l.text_hash)
), written as (
    update memories m
    set type = case when d.described then m.type else d.type end,
        kind = case when d.described then m.kind else coalesce(m.stated_kind, d.kind) end,
        -- where in its document an extract stands, nothing that is read in it tells
        title = case when d.described or m.kind = 'extract' then m.title else d.title end,
        token_count = d.token_count, local_date = d.local_date, time_of_day = d.time_of_day,
        day_of_week = d.day_of_week,
        event_start = case when d.made then m.event_start else d.event_start end,
        event_end = case when d.made then m.event_end else d.event_end end,
        event_times = case when d.made then m.event_times else d.event_times end,
        participants = case when d.described then m.participants else d.participants end,
        topics = case when d.described then m.topics else d.topics end,
        valence = case when d.described then m.valence else d.valence end,
        arousal = case when d.described then m.arousal else d.arousal end,
        dominance = case when d.described then m.dominance else d.dominance end,
        primary_emotion = case when d.described then m.primary_emotion else d.primary_emotion end,
        emotional_keywords = case when d.described then m.emotional_keywords else d.emotional_keywords end,
        emotional_trigger = case when d.described then m.emotional_trigger else d.emotional_trigger end,
        -- what use has added stays, on top of what is now known
        importance = case when d.rated then m.importance else
            importance_after_uses(coalesce(m.stated_importance, d.importance), 0, m.access_count) end,
        importance_beyond = case when d.rated then m.importance_beyond else
            beyond_after_uses(coalesce(m.stated_importance, d.importance), 0, m.access_count) end,
        -- a bot that says what it is, or how much it matters, says that it is a memory
        informative = case when d.made or m.kind = 'extract' or m.stated_kind is not null or m.stated_importance is not null then 1
            else d.informative end,
        derived_by = case when d.described then m.derived_by else d.version end,
        rated_by = case when d.rated then m.rated_by else d.rated_by end
    from judged d
    where m.tenant = $1 and m.id = d.memory_id and m.timezone = coalesce(d.timezone, m.timezone)
    returning m.id, m.derived_by, m.user_id, m.message_id, m.role, m.kind, m.informative, m.importance
)

-- name: save
-- Also $3 now, $4 users in their order, whose locks (`corrections.lock`) are taken before any row's. Returned are the stages of
-- what was written, and the version of what it holds. The stage keeps its first instant; that of the index, whose point is of
-- the former row, is taken back; dead letters of enrichment are settled, as in `mark_stage`. A message counts towards a
-- reflection once, with its latest importance: messages of assistants, derived and uninformative memories do not.
with users as materialized (
    select pg_advisory_xact_lock(hashtextextended($1 || '/' || user_id, 2)) from unnest($4::text[]) as user_id
), held as materialized (
    select count(*) as users from users
),
-- include: write
, staged as materialized (
    select memory_id, reflection_counted from stages
    where tenant = $1 and memory_id in (select id from written) order by memory_id for update
), counted as (
    insert into reflection_backlog (tenant, user_id, importance)
    -- of what was counted the difference: the sum is the same in any order
    select $1, w.user_id,
           sum(case when s.reflection_counted then 9 * (w.importance - o.importance) else 1 + 9 * w.importance end)
    from written w join staged s on s.memory_id = w.id join locked o on o.id = w.id
    where w.role = 'user' and w.message_id is not null and w.informative >= 0.5
      and w.kind not in ('summary', 'reflection', 'synthesis', 'extract')
    group by w.user_id order by w.user_id
    on conflict (tenant, user_id) do update set importance = greatest(0, reflection_backlog.importance + excluded.importance)
), marked as (
    update stages s
    set enriched = coalesce(s.enriched, $3), reflection_counted = true, indexed = null,
        republished = case when s.indexed is null then s.republished else $3 end
    where s.tenant = $1 and s.memory_id = any(array(select memory_id from staged))
    returning s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed,
              s.extracted
), settled as (
    delete from dead_letters d using marked m
    where d.tenant = $1 and d.message_id = m.message_id
      and (d.consumer in ('enrichment', 'enrichment-bulk') or d.consumer in ('ingest', 'ingest-bulk') and d.code in ('attempts_exhausted', 'quota_exceeded'))
), settled_derived as (
    delete from dead_letters d using marked m
    where d.tenant = $1 and m.message_id is null and d.memory_id = m.memory_id and d.consumer in ('enrichment', 'enrichment-bulk')
)
select marked.*, w.derived_by as version from marked join written w on w.id = marked.memory_id

-- name: replace
with held as (
    select 0 as users
),
-- include: write
select id from written
