-- Facts that are shown.

-- name: entity
-- The one of that normalised name, or else the one that is named most of those who also go by it.
select key, name, aliases, mentions from entities
where tenant = $1 and user_id = $2
  and key = any(array(select $3::text union all
          select key from entity_names where tenant = $1 and user_id = $2 and name_key = $3))
order by key = $3 desc, mentions desc, key
limit 1

-- Facts, most confident first, by one statement for each kind of question: each reads by an index in which what it asks
-- for stands together, and all but the last in the order in which it is shown, so that no more is read than is shown.
-- They are planned anew each time, for what is asked: what is null or false is no condition then.
-- $3 least confidence, $4 the instant at which they held, $5 also those that do not hold now, and those that never did
-- but were said, $6 how many, $7 predicates that hold one value at a time.

-- fragment: conditions
-- Where what was told of several times meets, that one held which began last, as `memory.facts.facts_as_of` says. What else
-- was told of the same is found by its object, not among all of its subject, where that may have many.
      (f.confidence >= $3::integer or f.verified)
  and ($5::boolean or $4::timestamptz is not null or f.valid_to is null)
  and ($5::boolean or $4::timestamptz is null
       or (f.valid_from is null or f.valid_from <= $4) and (f.valid_to is null or $4 < f.valid_to))
  and ($5::boolean or $4::timestamptz is null or f.predicate <> all($7::text[]) or not exists (
    select from facts as g
    where g.tenant = $1 and g.user_id = $2 and g.subject_key = f.subject_key and g.predicate = f.predicate
      and (g.confidence >= $3 or g.verified)
      and (g.valid_from is null or g.valid_from <= $4) and (g.valid_to is null or $4 < g.valid_to)
      and (coalesce(g.valid_from, '-infinity'), coalesce(f.valid_to, 'infinity'), g.id)
        > (coalesce(f.valid_from, '-infinity'), coalesce(g.valid_to, 'infinity'), f.id)))
  and ($5::boolean or $4::timestamptz is null or not exists (
    select from facts as g
    where g.tenant = $1 and g.user_id = $2 and g.object_key = f.object_key
      and g.subject_key is not distinct from f.subject_key and g.predicate is not distinct from f.predicate
      and (g.confidence >= $3 or g.verified)
      and (g.valid_from is null or g.valid_from <= $4) and (g.valid_to is null or $4 < g.valid_to)
      and (coalesce(g.valid_from, '-infinity'), coalesce(f.valid_to, 'infinity'), g.id)
        > (coalesce(f.valid_from, '-infinity'), coalesce(g.valid_to, 'infinity'), f.id)))
order by f.confidence desc, f.last_reinforced desc, f.id
limit $6

-- name: of_user
-- $8 whether only those about the user in person.
select
-- include: fact_columns.columns
from facts as f
where f.tenant = $1 and f.user_id = $2 and (not $8::boolean or f.subject_key = 'user' or f.object_key = 'user') and
-- include: conditions

-- name: of_predicate
-- $8 as above, $9 the predicate.
select
-- include: fact_columns.columns
from facts as f
where f.tenant = $1 and f.user_id = $2 and (not $8::boolean or f.subject_key = 'user' or f.object_key = 'user')
  and f.predicate = $9 and
-- include: conditions

-- name: of_entity
-- $8 normalised name of an entity, or one that it also goes by, $9 predicate or null. An entity has few facts, unless it
-- is the user in person: all of them are read, whatever the planner thinks of the order.
with named_keys as (
    select array(select $8::text union all
                 select key from entity_names where tenant = $1 and user_id = $2 and name_key = $8) as keys
), f as materialized (
    select * from facts
    where tenant = $1 and user_id = $2 and ($9::text is null or predicate is not distinct from $9)
      and (subject_key = any((select keys from named_keys)::text[]) or object_key = any((select keys from named_keys)::text[]))
)
select
-- include: fact_columns.columns
from f
where
-- include: conditions

-- name: tied
-- Those who are tied to the user by one of the ties $4, of the predicate $3; with the fact of it where
-- they have a name. Who is tied so no more ("we broke up") is left out.
select m.who,
-- include: fact_columns.columns
from (select distinct on (entity_key) entity_key, coalesce(nullif(entity, ''), name) as who from mentions
      where tenant = $1 and user_id = $2 and kind = $3 and kind <> '' and tie = any($4::text[])  -- as the index
      order by entity_key, name) as m
left join facts as f on f.tenant = $1 and f.user_id = $2 and f.subject_key = 'user' and f.predicate = $3
                     and f.object_key = m.entity_key
where f.valid_to is null
order by f.confidence desc nulls last, f.last_reinforced desc, m.entity_key
limit $5

-- name: tied_to
-- The facts that tie others to those of the keys $3, by the predicate $4, or $5 from their side; where $6 is not empty,
-- only where a message says so in words of that pattern ("son", not "daughter"). $7 how many.
select
-- include: fact_columns.columns
from facts as f
where f.tenant = $1 and f.user_id = $2 and f.valid_to is null
  and (f.subject_key = any($3::text[]) and f.predicate = $4 and f.object_key <> 'user'
       or f.object_key = any($3::text[]) and f.predicate = $5 and f.subject_key <> 'user')
  and ($6 = '' or exists (
    select from fact_evidence e
    where e.tenant = $1 and e.user_id = $2 and e.subject_key = f.subject_key and e.predicate = f.predicate
      and e.object_key = f.object_key and e.quote ~* $6))
order by f.confidence desc, f.last_reinforced desc, f.id
limit $7

-- name: of_messages
-- The facts that the messages $3 support, whether they hold or not.
select
-- include: fact_columns.columns
from facts as f
where f.tenant = $1 and f.user_id = $2 and f.message_ids && $3::text[]
  and f.subject_key = any(array(select e.subject_key from fact_evidence e where e.tenant = $1 and e.message_id = any($3::text[])))
order by f.confidence desc, f.last_reinforced desc, f.id limit 200
