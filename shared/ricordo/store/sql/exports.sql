-- The rows of a user ($2), part by part, in an order that changes do not affect: reading continues after the last key, and
-- returns each row once. The last parameter is the limit, those between are the last key.

-- name: messages
-- With what each states, and with what the bot stated of it. The latter is with the memory: of what is history only,
-- nothing is known of it.
select h.sent_at, h.message_id, h.memory_id, h.conversation_id, h.role, h.content, h.speaker, h.timezone, h.language, h.utc_offset,
       h.metadata, h.stored_at, m.stated_participants as participants, m.location, m.stated_kind as kind,
       m.stated_importance as importance, m.tags, m.refs, m.expires_at, m.trust, m.id is null as is_history_only, e.states
from history h
left join memories m on m.tenant = h.tenant and m.id = h.memory_id
left join lateral (
    select json_agg(json_build_object(
        'subject', e.subject, 'predicate', e.predicate, 'object', e.object, 'polarity', e.polarity, 'quote', e.quote,
        'valid_from', e.valid_from, 'valid_to', e.valid_to) order by e.ordinal) as states
    from fact_evidence e where e.tenant = h.tenant and e.message_id = h.message_id and e.kind = 'said') as e on true
where h.tenant = $1 and h.user_id = $2 and (h.sent_at, h.message_id) > ($3, $4)
order by h.sent_at, h.message_id limit $5

-- name: documents
select d.key, d.memory_id, s.message_id, d.name, d.media_type, d.size, d.state, d.reason, d.extract_ids, d.stored_at
from documents d left join stages s on s.tenant = d.tenant and s.memory_id = d.memory_id
where d.tenant = $1 and d.user_id = $2 and d.key > $3
order by d.key limit $4

-- name: memories
select id, message_id, conversation_id, type, kind, title, content, summary, language, role, speaker, created_at,
       timezone, local_date, time_of_day, day_of_week, event_start, event_end, event_times, expires_at, participants, topics, location,
       preceding_id, following_id, valence, arousal, dominance, primary_emotion, emotional_keywords,
       emotional_trigger, importance,
       informative, importance_beyond, access_count, last_accessed, reinforcement, pinned, trust, source_ids, questions_addressed, key_topics, source, confidence, verified, tags, refs,
       compressed, synthesis_id, archived_at, archive_reason, stored_at,
       (select i.insight_hash from insights i
        where m.message_id is null and i.tenant = $1 and i.user_id = $2 and i.memory_id = m.id limit 1) as about
from memories m
where tenant = $1 and user_id = $2 and (created_at, id) > ($3, $4)
order by created_at, id limit $5

-- name: facts
select subject_key,
-- include: fact_columns.columns
from facts
where tenant = $1 and user_id = $2 and (subject_key, predicate, id) > ($3, $4, $5)
order by subject_key, predicate, id limit $6

-- name: words
-- Assertions about facts: of the user, which have no message, and of a bot ("said"), under their message or the bot's key.
select message_id as request, ordinal, sent_at as said_at, subject, predicate, object, kind, polarity, valid_from, valid_to,
       subject_tie, object_tie, position, quote
from fact_evidence
where tenant = $1 and user_id = $2 and (kind <> 'said' or ordinal < 0) and (message_id, ordinal) > ($3, $4)
order by message_id, ordinal limit $5

-- name: rejections
-- What the user says was read wrongly; of which message, and in which words.
select request_id as request, ordinal, fact_id, message_id, subject, predicate, object, quote, rejected_at
from rejections
where tenant = $1 and user_id = $2 and (request_id, ordinal) > ($3, $4)
order by request_id, ordinal limit $5

-- name: entities
select key, name, aliases, mentions from entities
where tenant = $1 and user_id = $2 and key > $3 order by key limit $4

-- name: decisions
select first, second, same, decided_by, decided_at from identity_decisions
where tenant = $1 and user_id = $2 and (first, second) > ($3, $4)
order by first, second limit $5

-- name: notes
select conversation_id, key, value, set_at from notes
where tenant = $1 and user_id = $2 and (conversation_id, key) > ($3, $4)
order by conversation_id, key limit $5

-- name: session_ends
select conversation_id, ended_at from session_ends
where tenant = $1 and user_id = $2 and (conversation_id, ended_at) > ($3, $4)
order by conversation_id, ended_at limit $5

-- name: next_user
-- The first user after $2 with any rows.
select least(
    (select min(user_id) from history where tenant = $1 and user_id > $2),
    (select min(user_id) from memories where tenant = $1 and user_id > $2),
    (select min(user_id) from fact_evidence where tenant = $1 and user_id > $2),
    (select min(user_id) from rejections where tenant = $1 and user_id > $2),
    (select min(user_id) from identity_decisions where tenant = $1 and user_id > $2),
    (select min(user_id) from documents where tenant = $1 and user_id > $2),
    (select min(user_id) from notes where tenant = $1 and user_id > $2),
    (select min(user_id) from session_ends where tenant = $1 and user_id > $2)) as user_id
