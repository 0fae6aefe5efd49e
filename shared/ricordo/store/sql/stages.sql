-- name: mark
-- $2 memory ids, $3 stage, $4 instant, $5 the consumers that set it.
select * from mark_stage($1, $2, $3, $4, $5)

-- name: reworded
-- $2 memory ids, $3 hashes of texts: those with another text. All are locked, in the order of their ids.
with locked as (
    select m.id, sha256(convert_to(m.content, 'UTF8')) as text_hash
    from memories m where m.tenant = $1 and m.id = any($2::uuid[]) order by m.id for key share
)
select h.id from locked h join unnest($2::uuid[], $3::bytea[]) as r (id, text_hash) on r.id = h.id
where h.text_hash <> r.text_hash

-- name: reconciling
-- Whether this process may reconcile now: one at a time does.
select pg_try_advisory_xact_lock(hashtextextended($1, 3))

-- name: lost
-- $2 now, $3 how many, and the time of the oldest unsettled event of encode $4, enrichment $5, index $6 and knowledge $7,
-- null where there is none. A stage is overdue $8 after the one before it. Its event is lost if it is older than all that
-- are unsettled, by $8 again as it was published after its row was written, or if ten times as long has passed. What
-- became a dead letter waits for its replay; a letter of ingest is about another body under the same id, since this one
-- was recorded. Where no message is behind a memory, its letter names the memory.
with overdue as (
    select s.memory_id, s.ingested, lost.encoded, lost.enriched, lost.indexed, lost.extracted
    from stages s
    cross join lateral (
        select array_agg(coalesce(
                   at < $2::timestamptz - $8::interval
                   and (e.oldest is null or at < e.oldest - $8 or at < $2 - 10 * $8), false) order by e.n) as flags
        from (values (1, case when s.encoded is null then s.ingested end, $4::timestamptz),
                     (2, case when s.enriched is null then s.encoded end, $5::timestamptz),
                     (3, case when s.indexed is null then s.enriched end, $6::timestamptz),
                     (4, case when s.extracted is null then s.ingested end, $7::timestamptz)) as e (n, since, oldest)
        cross join lateral (select case when e.since is not null then greatest(e.since, s.republished) end) as last (at)
    ) as each
    cross join lateral (select flags[1], flags[2], flags[3], flags[4]) as lost (encoded, enriched, indexed, extracted)
    where s.tenant = $1 and s.pending and s.ingested < $2 - $8
      and (lost.encoded or lost.enriched or lost.indexed or lost.extracted)
      and not exists (
          select 1 from dead_letters d
          where d.tenant = $1 and d.message_id = s.message_id and d.consumer not in ('ingest', 'ingest-bulk'))
      and not exists (select 1 from dead_letters d where d.tenant = $1 and d.memory_id = s.memory_id)
    -- what lacks no more than its facts comes last, so that it hides nothing while the graph is away
    order by s.encoded is not null and s.enriched is not null and s.indexed is not null, s.ingested, s.memory_id
    limit $3
), locked as (
    select s.memory_id from stages s join overdue o using (memory_id)
    where s.tenant = $1 order by s.memory_id for update of s
)
update stages s set republished = $2
from locked l join overdue o using (memory_id) left join memories m on m.tenant = $1 and m.id = o.memory_id
where s.tenant = $1 and s.memory_id = l.memory_id
returning s.*, o.encoded as encoded_lost, o.enriched as enriched_lost, o.indexed as indexed_lost,
          o.extracted as extracted_lost, m.source = 'import' as imported

-- name: derived
-- $2 ids of memories without a message.
select * from memories where tenant = $1 and id = any($2::uuid[])

-- name: texts
-- $2 model, $3 memory ids.
select * from texts_to_encode($1, $2, $3)

-- name: save_vectors
-- $2 model, $3 memory ids and $4 their new vectors, $5 memories that are encoded, $6 hashes of their texts, $7 instant, $8 the
-- consumers that set the stage.
select * from save_vectors($1, $2, $3, $4, $5, $6, $7, $8)

-- name: models
select model, dimensions from embedding_models where tenant = $1 order by model

-- name: unenriched
select m.*, v.vector
from memories m left join vectors v on v.tenant = $1 and v.memory_id = m.id and v.model = $2
where m.tenant = $1 and m.id = any($3::uuid[])

-- name: enrich
-- $2 rows, $3 a tag. Values of the bot override derived ones; use and decay stay. What was
-- derived in a zone which is no longer the memory's, or from words which are not, is not written: it would undo the
-- correction of its time, or tell of what it says no more. What
-- rules derived with a language model ("rules-2+model") stays when rules derive again without one; and what lifecycle
-- derived, of memories that it has made itself, stays always.
with derived as (
    select * from jsonb_to_recordset($2::jsonb) as d (
        memory_id uuid, timezone text, type text, kind text, title text, token_count integer, local_date date,
        time_of_day text, day_of_week text, event_start timestamptz, event_end timestamptz, event_times tstzrange[], participants text[],
        topics text[], valence double precision, arousal double precision, dominance double precision,
        primary_emotion text, emotional_keywords text[], importance double precision,
        informative double precision, instructing boolean, version text, rated_by text, text_hash text)
), locked as (
    select id, derived_by, rated_by, encode(sha256(convert_to(content, 'UTF8')), 'hex') as text_hash from memories
    where tenant = $1 and id in (select memory_id from derived) order by id for update
), judged as (
    select d.*, l.derived_by = 'lifecycle' as made,
           l.derived_by = 'lifecycle'
               or position('+' in coalesce(l.derived_by, '')) > 0 and position('+' in d.version) = 0 as described,
           l.rated_by = 'lifecycle'
               or position('+' in coalesce(l.rated_by, '')) > 0 and position('+' in d.rated_by) = 0 as rated
    from derived d join locked l on l.id = d.memory_id and l.text_hash = coalesce(d.text_hash, l.text_hash)
)
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
    -- what use has added stays, on top of what is now known
    importance = case when d.rated then m.importance else
        importance_after_uses(coalesce(m.stated_importance, d.importance), 0, m.access_count) end,
    importance_beyond = case when d.rated then m.importance_beyond else
        beyond_after_uses(coalesce(m.stated_importance, d.importance), 0, m.access_count) end,
    -- a bot that says what it is, or how much it matters, says that it is a memory
    informative = case when d.made or m.kind = 'extract' or m.stated_kind is not null or m.stated_importance is not null then 1
        else d.informative end,
    -- whoever describes it, and whoever made it: $3 is the mark of what tells a model what to do
    tags = case when d.instructing then array_append(array_remove(m.tags, $3), $3) else array_remove(m.tags, $3) end,
    derived_by = case when d.described then m.derived_by else d.version end,
    rated_by = case when d.rated then m.rated_by else d.rated_by end
from judged d
where m.tenant = $1 and m.id = d.memory_id and m.timezone = coalesce(d.timezone, m.timezone)
returning m.id, m.derived_by

-- name: indexable
-- The version names the transactions that last wrote the row and both vectors; which row is the predecessor stands in
-- the former. A predecessor's text does not change.
select m.*, v.vector, p.content as preceding_text, p.language as preceding_language, pv.vector as preceding_vector,
       concat(m.xmin, '/', v.xmin, '/', pv.xmin) as version
from memories m
join vectors v on v.tenant = $1 and v.memory_id = m.id and v.model = $2
left join memories p on p.tenant = $1 and p.id = m.preceding_id
left join vectors pv on pv.tenant = $1 and pv.memory_id = m.preceding_id and pv.model = $2
where m.tenant = $1 and m.id = any($3::uuid[])

-- name: versions
select m.id, concat(m.xmin, '/', v.xmin, '/', pv.xmin) as version
from memories m
left join vectors v on v.tenant = $1 and v.memory_id = m.id and v.model = $2
left join vectors pv on pv.tenant = $1 and pv.memory_id = m.preceding_id and pv.model = $2
where m.tenant = $1 and m.id = any($3::uuid[])
