-- Pages of the entities of a user ($2), most mentioned first. A stored listing, as of memories (memory_listings.sql), holds hashes
-- of keys with a salt that the cursor alone knows: of a forgotten name nothing is left in it.

-- fragment: kinds
-- $3 'subject' or 'object', $4 predicate, $5 what kind of entity is there.
kinds as (select * from unnest($3::text[], $4::text[], $5::text[]) as k (place, predicate, kind))

-- fragment: kind
-- What the entity `e` is, as most messages say.
(select s.kind from (
    select k.kind, f.confidence, f.verified from facts f join kinds k on k.place = 'object' and k.predicate = f.predicate
    where f.tenant = $1 and f.user_id = $2 and f.object_key = e.key
    union all
    select k.kind, f.confidence, f.verified from facts f join kinds k on k.place = 'subject' and k.predicate = f.predicate
    where f.tenant = $1 and f.user_id = $2 and f.subject_key = e.key) as s
 group by s.kind order by sum(case when s.verified then 10 else s.confidence end) desc, s.kind limit 1)

-- name: store
-- $6 the salt of the listing, $7 the listing, $8 now, $9 of which kind, or null, $10 how many a chunk holds.
with
-- include: kinds
, ordered as (
    select e.key, row_number() over (order by e.mentions desc, e.name, e.key) - 1 as position
    from entities e
    where e.tenant = $1 and e.user_id = $2 and e.key <> 'user' and ($9::text is null or $9 =
-- include: kind
    )
), stored as (
    insert into listings (tenant, listing_id, chunk, user_id, memory_ids, created_at)
    select $1, $7, position / $10::integer, $2, array_agg(md5($6::text || key)::uuid order by position), $8
    from ordered group by position / $10
)
select count(*) from ordered

-- name: listed
-- $6 the salt of the listing, $7 the listing, $8 chunk, $9 how many places to pass over, $10 how many. What has gone leaves its place empty.
with
-- include: kinds
, e as materialized (
    select e.key, e.name, e.aliases, e.mentions, l.place
    from (select u.id, u.place from listings l cross join lateral unnest(l.memory_ids) with ordinality as u (id, place)
          where l.tenant = $1 and l.listing_id = $7 and l.chunk = $8 and u.place > $9::bigint) as l
    join (select key, name, aliases, mentions, md5($6::text || key)::uuid as id
          from entities where tenant = $1 and user_id = $2) as e on e.id = l.id
    order by l.place limit $10
)
select e.*, seen.first_seen, seen.last_seen,
-- include: kind
    as kind,
    array(select predicate from facts f
          where f.tenant = $1 and f.user_id = $2 and f.valid_to is null
            and (f.object_key = e.key and f.subject_key = 'user' or f.object_key = 'user' and f.subject_key = e.key)
          group by predicate order by max(confidence) desc, predicate) as ties
from e cross join lateral (
    select min(first_seen) as first_seen, max(last_reinforced) as last_seen
    from (select first_seen, last_reinforced from facts where tenant = $1 and user_id = $2 and object_key = e.key
          union all
          select first_seen, last_reinforced from facts where tenant = $1 and user_id = $2 and subject_key = e.key) as f) as seen
order by e.place

-- name: facts
-- $3 keys of entities, $4 how many facts of each.
select k.key as entity_key, f.*
from unnest($3::text[]) as k (key) cross join lateral (
    select
-- include: fact_columns.columns
    from (select * from facts where tenant = $1 and user_id = $2 and object_key = k.key
          union
          select * from facts where tenant = $1 and user_id = $2 and subject_key = k.key) as f
    where valid_to is null
    order by confidence desc, last_reinforced desc, id limit $4) as f
