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
