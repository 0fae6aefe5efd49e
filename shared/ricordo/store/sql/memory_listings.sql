-- Pages of the memories of a user ($2), and of the users of a tenant.

-- fragment: conditions
-- $3 start, $4 end, $5 participants and $6 topics as they are written, or null, $7 types, $8 kinds, $9 and $10 what the valence
-- is above and below, $11 least importance, $12 archived ones too, $13 uninformative ones too, $14 a pattern for each word, or null,
-- $15 tags and $16 locations as they are written, or null, $17 refs, $18 conversation or null, $19 times of day, $20 days of the week,
-- $21 pinned or not, or null.
      ($3::timestamptz is null and $4::timestamptz is null or tstzrange($3, $4) @> m.created_at
       or exists (select from unnest(m.event_times) as event where tstzrange($3, $4) @> event and not isempty(event)))
  and ($5::text[] is null or m.participants && $5)
  and ($6::text[] is null or m.topics && $6)
  and ($7::text[] = '{}' or m.type = any($7))
  and ($8::text[] = '{}' or m.kind = any($8))
  and ($9::float8 is null or m.valence > $9) and ($10::float8 is null or m.valence < $10)
  and ($11::float8 is null or m.importance >= $11)
  and ($12::boolean or m.archived_at is null) and ($13::boolean or m.informative >= 0.5)
  and ($14::text[] is null
       -- Where letters may have other forms (ำ, ½, wide ones), each word is found in either spelling. To normalise costs ten times
       -- what the search does: a text of European letters and usual signs is not even looked at for that.
       or case when m.content ~ '[^\u0001-\u007f¡-§«»À-ıĴ-ľŁ-ňŊ-ž–—‘’“”…]' and m.content is not nfkc normalized
               then m.content || e'\n' || normalize(m.content, nfkc) else m.content end ~ all($14))
  and ($15::text[] is null or m.tags && $15) and ($16::text[] is null or m.location = any($16))
  and ($17::text[] = '{}' or m.refs && $17)
  and ($18::text is null or m.conversation_id = $18)
  and ($19::text[] = '{}' or m.time_of_day = any($19))
  and ($20::text[] = '{}' or m.day_of_week = any($20))
  and ($21::boolean is null or m.pinned = $21)

-- name: names
-- What the user's participants, topics, tags and locations are called, those of $3, in which languages.
select distinct 'participants' as field, name, '' as language
from memories m cross join lateral unnest(m.participants) as name
where m.tenant = $1 and m.user_id = $2 and 'participants' = any($3::text[])
union all
select distinct 'topics', name, m.language
from memories m cross join lateral unnest(m.topics) as name where m.tenant = $1 and m.user_id = $2 and 'topics' = any($3)
union all
select distinct 'tags', name, ''
from memories m cross join lateral unnest(m.tags) as name where m.tenant = $1 and m.user_id = $2 and 'tags' = any($3)
union all
select distinct 'locations', m.location, '' from memories m where m.tenant = $1 and m.user_id = $2 and 'locations' = any($3)

-- name: total
select count(*) from memories m where m.tenant = $1 and m.user_id = $2 and
-- include: conditions

-- name: ids
-- The latest $22 of them.
select m.id from memories m where m.tenant = $1 and m.user_id = $2 and
-- include: conditions
order by m.created_at desc, m.id desc limit $22

-- name: by_index
-- A page is read in the order of an index, and no further, however few the planner thinks that match.
select set_config('enable_sort', 'off', true)

-- name: recent
-- $22, $23 the (instant, id) before which to look, or null, $24 how many
select m.id, m.created_at from memories m
where m.tenant = $1 and m.user_id = $2
  and ($22::timestamptz is null or (m.created_at, m.id) < ($22, $23::uuid)) and
-- include: conditions
order by m.created_at desc, m.id desc limit $24

-- name: oldest
-- As `recent`, after the (instant, id).
select m.id, m.created_at from memories m
where m.tenant = $1 and m.user_id = $2
  and ($22::timestamptz is null or (m.created_at, m.id) > ($22, $23::uuid)) and
-- include: conditions
order by m.created_at, m.id limit $24

-- name: lock
-- Who erases what is of the user waits until the listing is there, or is waited for.
select pg_advisory_xact_lock_shared(hashtextextended($1 || '/user/' || $2, 0))

-- name: store
-- $22 the listing, $23 now, $24 the order, $25 how many ids a chunk holds.
with ordered as (
    select m.id, row_number() over (
               order by case $24::text when 'used' then m.access_count when 'feeling' then m.valence else m.importance end desc,
                        case when $24 = 'used' then m.last_accessed end desc nulls last, m.created_at desc, m.id desc) - 1 as position
    from memories m
    where m.tenant = $1 and m.user_id = $2 and
-- include: conditions
), stored as (
    insert into listings (tenant, listing_id, chunk, user_id, memory_ids, created_at)
    select $1, $22, position / $25::integer, $2, array_agg(id order by position), $23
    from ordered group by position / $25
)
select count(*) from ordered

-- name: drop_surplus
-- $3 how many listings of the user stay, the latest.
delete from listings
where tenant = $1 and user_id = $2 and listing_id <> all(array(
    select listing_id from listings where tenant = $1 and user_id = $2 and chunk = 0 order by created_at desc, listing_id limit $3))

-- name: drop
-- $3 listing
delete from listings where tenant = $1 and listing_id = $3 and user_id is not distinct from $2

-- name: chunks
-- $3 listing, $4 since when it lives
select count(*) from listings
where tenant = $1 and listing_id = $3 and user_id is not distinct from $2 and created_at > $4

-- name: listed
-- $22 listing, $23 chunk, $24 how many places to pass over, $25 how many. What has gone leaves its place empty.
select m.id, l.place
from (select u.id, u.place from listings l cross join lateral unnest(l.memory_ids) with ordinality as u (id, place)
      where l.tenant = $1 and l.listing_id = $22 and l.chunk = $23 and u.place > $24::bigint) as l
join memories m on m.tenant = $1 and m.id = l.id
where m.user_id is not distinct from $2 and
-- include: conditions
order by l.place limit $25

-- name: periods
-- $3 day, week, month or year, $4 start and $5 end or null, $6 a zone or null: the last one that a message named, else the
-- offset of the last message. Returned is the reply as JSON, which takes a third of the time of building it from rows.
with named as (
    select coalesce($6::text, (
        select timezone from history where tenant = $1 and user_id = $2 and timezone is not null
        order by sent_at desc, message_id desc limit 1), (
        select utc_offset from history where tenant = $1 and user_id = $2
        order by sent_at desc, message_id desc limit 1), 'UTC') as timezone
), zone as materialized (  -- as a text, PostgreSQL would read +08:00 as west of Greenwich
    select timezone, case when timezone ~ '^[+-]' then timezone::interval end as utc_offset,
           case when timezone !~ '^[+-]' then timezone end as name
    from named
), local as materialized (
    select m.id, m.created_at, m.importance, case when m.derived_by <> '' then m.valence end as valence,
           case when m.derived_by <> '' then m.arousal end as arousal,
           case when m.derived_by <> '' then m.primary_emotion end as feeling,
           date_trunc($3::text, coalesce(m.created_at at time zone z.utc_offset, m.created_at at time zone z.name)) as period
    from memories m cross join zone z
    where m.tenant = $1 and m.user_id = $2 and m.informative >= 0.5
      and ($4::timestamptz is null or m.created_at >= $4) and ($5::timestamptz is null or m.created_at < $5)
), counted as (
    select period, count(*) as memories, avg(valence) as valence, avg(arousal) as arousal from local group by period
), feelings as (
    select period, json_object_agg(feeling, number order by place) as feelings
    from (select period, feeling, count(*) as number,
                 row_number() over (partition by period order by count(*) desc, feeling) as place
          from local where feeling is not null group by period, feeling) as of_period
    where place <= 5 group by period
), strongest as (
    select s.period, json_agg(json_build_object(
        'id', m.id, 'type', m.type, 'kind', m.kind, 'role', case when m.message_id is not null then m.role end,
        'speaker', nullif(m.speaker, ''), 'conversation_id', nullif(m.conversation_id, ''),
        'content', case when length(m.content) > 300 then rtrim(left(m.content, 299)) || '…' else m.content end,
        'truncated', length(m.content) > 300, 'title', nullif(m.title, ''), 'created_at', m.created_at,
        'importance', m.importance, 'valence', coalesce(m.valence, 0), 'archived', m.archived_at is not null) order by s.place) as memories
    from (select period, id, row_number() over (partition by period order by importance desc, created_at desc, id) as place
          from local) as s
    cross join lateral (select * from memories where tenant = $1 and id = s.id offset 0) as m
    where s.place <= 3 group by s.period
)
select json_build_object('timezone', z.timezone, 'periods', coalesce((
    select json_agg(json_build_object(
        'start', coalesce(p.period at time zone z.utc_offset, p.period at time zone z.name),
        'end', coalesce((p.period + ('1 ' || $3)::interval) at time zone z.utc_offset,
                        (p.period + ('1 ' || $3)::interval) at time zone z.name),
        'memories', p.memories, 'valence', p.valence, 'arousal', p.arousal, 'feelings', coalesce(f.feelings, '{}'),
        'strongest', s.memories) order by p.period)
    from counted p join strongest s on s.period = p.period left join feelings f on f.period = p.period), '[]'))
from zone z

-- name: users
-- $2 the user after whom to look, or null, $3 how many. Each user is found from the one before, not among all messages.
with recursive next_users as (
    (select user_id from history where tenant = $1 and user_id > coalesce($2::text, '') order by user_id limit 1)
    union all
    select (select h.user_id from history h where h.tenant = $1 and h.user_id > n.user_id order by h.user_id limit 1)
    from next_users n where n.user_id is not null
), page as materialized (
    select user_id from next_users where user_id is not null limit $3
)
select p.user_id, m.memories, m.archived, h.messages, greatest(h.last_stored, m.last_accessed) as last_activity
from page p
cross join lateral (
    select count(*) filter (where informative >= 0.5) as memories,
           count(*) filter (where informative >= 0.5 and archived_at is not null) as archived, max(last_accessed) as last_accessed
    from memories where tenant = $1 and user_id = p.user_id) as m
cross join lateral (
    select count(*) as messages, max(stored_at) as last_stored from history where tenant = $1 and user_id = p.user_id) as h
order by p.user_id

-- name: delete_old
-- $2 before when, $3 how many: what somebody else holds is left to the next time.
delete from listings
where tenant = $1 and ctid = any(array(
    select ctid from listings where tenant = $1 and created_at < $2 order by created_at limit $3 for update skip locked))
