-- How a user talks.

-- name: news
-- How many messages the user has said after $3 and before $4, up to $5; and how much of theirs was asked to be forgotten.
select (select count(*) from (
            select from history where tenant = $1 and user_id = $2 and said_at > $3 and said_at < $4 and role = 'user'
            limit $5) as said) as messages,
       (select coalesce(sum(times), 0) from tombstones
        where tenant = $1 and scope in ('message', 'conversation', 'user') and user_id = $2) as forgotten

-- name: talk
-- Counts over the last 200 messages that the user has said before $3, of the last 400 of their conversations: however
-- long the history is. $4 finds words that keep a distance, $5 words of familiarity, $6 an emoji. What is asked to be
-- forgotten counts no more, though it may not be erased yet.
with heard as materialized (
    select h.message_id, h.memory_id, h.conversation_id, h.role, h.content, h.said_at from history h
    where h.tenant = $1 and h.user_id = $2 and h.said_at < $3
    order by h.said_at desc, h.message_id desc limit 400
), buried as materialized (
    select times from tombstones
    where tenant = $1 and scope in ('message', 'conversation', 'user') and user_id = $2
), mine as materialized (
    select message_id, memory_id, content, said_at from heard
    where role = 'user' and not is_forgotten($1, $2, conversation_id, message_id, said_at)
    order by said_at desc, message_id desc limit 200
), placed as materialized (
    select memory_id, content, said_at, row_number() over latest as place, count(*) over () as total,
           lag(said_at) over latest - said_at as silence
    from mine window latest as (order by said_at desc, message_id desc)
), seen as materialized (
    select p.place, p.total, p.silence, p.said_at, length(p.content) as characters, position('?' in p.content) > 0 as asks,
           left(p.content, 300) ~* $4 as formal, left(p.content, 300) ~* $5 as informal,
           left(p.content, 300) ~ $6 as emoji, m.time_of_day, m.local_date, m.topics, m.valence
    from placed p left join memories m on m.tenant = $1 and m.id = p.memory_id
), felt as (
    select topic, count(*) as messages, avg(valence) as valence
    from seen, unnest(topics) as topic group by topic having count(*) >= 3 order by messages desc, topic limit 30
)
select count(*) as messages, max(said_at) as until, (select coalesce(sum(times), 0) from buried) as forgotten,
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
       (select json_agg(felt) from felt) as topics
from seen
