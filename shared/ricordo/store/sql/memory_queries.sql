-- fragment: linked
select (found.memory).*, found.source_message_ids, found.corrects, found.corrected_by

-- name: memories
-- include: linked
from memories_with_links($1, $2, $3) as found

-- name: history
-- $3 conversation or null, $4 and $5 the (instant, message id) before which to look, or null, $6 how many
select h.message_id, h.memory_id, h.conversation_id, h.role, h.speaker, h.content, h.sent_at,
       h.language, coalesce(m.participants, '{}') as participants
from history h left join memories m on m.tenant = h.tenant and m.id = h.memory_id
where h.tenant = $1 and h.user_id = $2
  and ($3::text is null or h.conversation_id = $3)
  and ($4::timestamptz is null or (h.sent_at, h.message_id) < ($4, $5::text))
order by h.sent_at desc, h.message_id desc
limit $6

-- name: timeline
-- Messages and extracts that are informative; no derived memories.
-- include: linked
from memories_with_links($1, $2, array(
    select id from memories
    where tenant = $1 and user_id = $2 and created_at >= $3 and created_at < $4 and derived_by <> 'lifecycle' and informative >= 0.5
    order by created_at, message_id limit $5)) as found
order by (found.memory).created_at, (found.memory).message_id

-- name: status
-- $2 memory, $3 message, $4 digest or null, $5 whose deletion counts or null. The failure that counts is the conflict
-- with another content that has the id, the tombstone of a message without stages, or the last letter; of a recorded
-- message a letter of ingest is about another body under the same id, and counts last.
with stage as (
    select memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted
    from stages where tenant = $1 and memory_id = $2
), failures as (
    select 1 as place, 'id_conflict' as code, '' as reason, stored_at as died_at, false as of_another, 0 as sequence
    from history where tenant = $1 and message_id = $3 and digest <> $4::bytea
    union all
    select 2, 'forgotten', 'it was deleted and is refused', requested_at, false, 0
    from tombstones where tenant = $1 and key = $3 and scope in ('message', 'erased')
        and ($5::text is null or user_id = $5) and not exists (select from stage)
    union all
    select 3, code, reason, died_at,
           consumer in ('ingest', 'ingest-bulk') and exists (select from stage), sequence
    from dead_letters where tenant = $1 and message_id = $3
), failure as (
    select place = 1 as is_conflict, code, reason, died_at, of_another from failures
    order by place, of_another, died_at desc, sequence desc limit 1
)
select stage.*, failure.*, exists (select from documents where tenant = $1 and memory_id = $2) as has_document
from (select) as one left join stage on true left join failure on true

-- name: counts
select m.memories, m.archived, m.reflections, m.summaries,
       (select count(*) from history where tenant = $1 and user_id = $2) as history,
       (select count(*) from facts where tenant = $1 and user_id = $2 and valid_to is null) as facts,
       (select count(*) from stages where tenant = $1 and user_id = $2 and pending) as pending
from (
    select count(*) as memories, count(*) filter (where archived_at is not null) as archived,
           count(*) filter (where kind = 'reflection') as reflections,
           count(*) filter (where kind = 'summary') as summaries
    from memories where tenant = $1 and user_id = $2 and informative >= 0.5
) as m

-- How a user talks.

-- name: style_delta
-- Number of messages of the user after $3 and before $4, up to $5; and of requests to forget.
select (select count(*) from (
            select from history where tenant = $1 and user_id = $2 and sent_at > $3 and sent_at < $4 and role = 'user'
            limit $5) as sent) as messages,
       (select coalesce(sum(request_count), 0) from tombstones
        where tenant = $1 and scope in ('message', 'conversation', 'user') and user_id = $2) as forgotten

-- name: style
-- Counts over the last 200 messages of the user before $3, of the last 400 of their conversations: however
-- long the history is. $4 finds words that keep a distance, $5 words of familiarity, $6 an emoji. What is asked to be
-- forgotten counts no more, though it may not be erased yet.
with recent as materialized (
    select h.message_id, h.memory_id, h.conversation_id, h.role, h.content, h.sent_at from history h
    where h.tenant = $1 and h.user_id = $2 and h.sent_at < $3
    order by h.sent_at desc, h.message_id desc limit 400
), tombstone_counts as materialized (
    select request_count from tombstones
    where tenant = $1 and scope in ('message', 'conversation', 'user') and user_id = $2
), mine as materialized (
    select message_id, memory_id, content, sent_at from recent
    where role = 'user' and not is_forgotten($1, $2, conversation_id, message_id, sent_at)
    order by sent_at desc, message_id desc limit 200
), placed as materialized (
    select memory_id, content, sent_at, row_number() over latest as place, count(*) over () as total,
           lag(sent_at) over latest - sent_at as silence
    from mine window latest as (order by sent_at desc, message_id desc)
), seen as materialized (
    select p.place, p.total, p.silence, p.sent_at, length(p.content) as characters, position('?' in p.content) > 0 as asks,
           left(p.content, 300) ~* $4 as formal, left(p.content, 300) ~* $5 as informal,
           left(p.content, 300) ~ $6 as emoji, m.time_of_day, m.local_date, m.topics, m.valence
    from placed p left join memories m on m.tenant = $1 and m.id = p.memory_id
), topic_valence as (
    select topic, count(*) as messages, avg(valence) as valence
    from seen, unnest(topics) as topic group by topic having count(*) >= 3 order by messages desc, topic limit 30
)
select count(*) as messages, max(sent_at) as until, (select coalesce(sum(request_count), 0) from tombstone_counts) as forgotten,
       percentile_cont(array[0.25, 0.5, 0.75]) within group (order by characters) as lengths,
       percentile_cont(0.5) within group (order by characters) filter (where place <= total / 3) as lately,
       percentile_cont(0.5) within group (order by characters) filter (where place > total / 3) as earlier,
       count(*) filter (where time_of_day = 'morning') as morning,
       count(*) filter (where time_of_day = 'afternoon') as afternoon,
       count(*) filter (where time_of_day = 'evening') as evening, count(*) filter (where time_of_day = 'night') as night,
       count(*) filter (where formal and not informal) as formal,
       count(*) filter (where informal and not formal) as informal, count(*) filter (where emoji) as emoji,
       count(*) filter (where asks) as questions,
       count(*) filter (where silence is null or silence > interval '30 minutes') as sessions,
       count(distinct local_date) as days, max(local_date) - min(local_date) + 1 as span_days,
       (select json_agg(topic_valence) from topic_valence) as topics
from seen

-- name: facts
-- $2 user, $3 message. A fact names its latest hundred messages: of one that has more, older ones are found by their statements.
select
-- include: fact_columns.columns
from facts f
where f.tenant = $1 and f.user_id = $2
  and f.subject_key = any(array(select e.subject_key from fact_evidence e where e.tenant = $1 and e.message_id = $3))
  and (f.message_ids @> array[$3::text]
       or cardinality(f.message_ids) >= 100 and exists (
           select from fact_evidence e
           where e.tenant = $1 and e.message_id = $3 and e.subject_key = f.subject_key and e.predicate = f.predicate
             and e.object_key = f.object_key and e.polarity <> 'denied'
             and e.sent_at between f.first_seen and f.last_reinforced))
order by f.confidence desc, f.last_reinforced desc, f.id limit 100

-- name: changes
-- $2 user, $3 memory, $4 its decay factor. Nothing is logged: rows tell what changed a memory, as long as they are kept.
with memory as materialized (
    select m.*, s.stored_at as compressed_at, h.content as sent
    from memories m
    left join memories s on s.tenant = $1 and s.id = m.synthesis_id
    left join history h on h.tenant = $1 and h.message_id = m.message_id
    where m.tenant = $1 and m.id = $3 and m.user_id is not distinct from $2
), uses as (
    select coalesce(u.accessed_at, u.updated_at) as at, u.recall_id, u.verdict
    from memory_uses u where u.tenant = $1 and u.memory_id = (select id from memory)
    order by 1 desc limit 100
), correcting as (
    select c.sent_at, c.correcting_id from corrections c where c.tenant = $1 and c.corrected_id = (select id from memory)
    order by c.sent_at desc limit 100
)
select 'used' as change, at, recall_id, verdict, null::uuid as memory_id, null as content, null::float8 as decay_factor,
       null as reason
from uses
union all
select 'corrected', sent_at, null, null, correcting_id, null, null, null from correcting
union all
select 'compressed', compressed_at, null, null, synthesis_id, null, null, null from memory where synthesis_id is not null
union all
select 'archived', archived_at, null, null, null, null, null, coalesce(archive_reason, 'decay')
from memory where archived_at is not null
union all
select 'decayed', null, null, null, null, null, $4::float8, null where $4 < 1
union all
select 'corrected', null, null, null, null, sent, null, null
from memory where source = 'user_correction' and sent is distinct from content
order by at nulls last, change, memory_id, recall_id

-- name: metadata
-- $2 user, $3 message.
select metadata from history where tenant = $1 and user_id = $2 and message_id = $3
