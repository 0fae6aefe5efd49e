-- Pages of the memories of a user ($2), and of the users of a tenant.

-- fragment: conditions
-- $3 start, $4 end, $5 participants and $6 topics as they are written, or null, $7 types, $8 kinds, $9 and $10 what the valence
-- is above and below, $11 least importance, $12 archived ones too, $13 uninformative ones too, $14 a pattern for each word, or null,
-- $15 tags and $16 locations as they are written, or null, $17 refs, $18 conversation or null, $19 times of day, $20 days of the week.
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
-- The latest $21 of them.
select m.id from memories m where m.tenant = $1 and m.user_id = $2 and
-- include: conditions
order by m.created_at desc, m.id desc limit $21

-- name: by_index
-- A page is read in the order of an index, and no further, however few the planner thinks that match.
select set_config('enable_sort', 'off', true)

-- name: recent
-- $21, $22 the (instant, id) before which to look, or null, $23 how many
select m.id, m.created_at from memories m
where m.tenant = $1 and m.user_id = $2
  and ($21::timestamptz is null or (m.created_at, m.id) < ($21, $22::uuid)) and
-- include: conditions
order by m.created_at desc, m.id desc limit $23

-- name: oldest
-- As `recent`, after the (instant, id).
select m.id, m.created_at from memories m
where m.tenant = $1 and m.user_id = $2
  and ($21::timestamptz is null or (m.created_at, m.id) > ($21, $22::uuid)) and
-- include: conditions
order by m.created_at, m.id limit $23

-- name: lock
-- Who erases what is of the user waits until the listing is there, or is waited for.
select pg_advisory_xact_lock_shared(hashtextextended($1 || '/user/' || $2, 0))

-- name: store
-- $21 the listing, $22 now, $23 whether by use, else by importance, $24 how many ids a chunk holds.
with ordered as (
    select m.id, row_number() over (
               order by case when $23::boolean then m.access_count else m.importance end desc,
                        case when $23 then m.last_accessed end desc nulls last, m.created_at desc, m.id desc) - 1 as position
    from memories m
    where m.tenant = $1 and m.user_id = $2 and
-- include: conditions
), stored as (
    insert into listings (tenant, listing_id, chunk, user_id, memory_ids, created_at)
    select $1, $21, position / $24::integer, $2, array_agg(id order by position), $22
    from ordered group by position / $24
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
-- $21 listing, $22 chunk, $23 how many places to pass over, $24 how many. What has gone leaves its place empty.
select m.id, l.place
from (select u.id, u.place from listings l cross join lateral unnest(l.memory_ids) with ordinality as u (id, place)
      where l.tenant = $1 and l.listing_id = $21 and l.chunk = $22 and u.place > $23::bigint) as l
join memories m on m.tenant = $1 and m.id = l.id
where m.user_id is not distinct from $2 and
-- include: conditions
order by l.place limit $24

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
