-- name: utterances
select id as memory_id, message_id, user_id, role, speaker, language, content, created_at, timezone
from memories where tenant = $1 and id = any($2::uuid[]) and message_id is not null

-- name: told
-- What earlier readings found in messages.
select m.id as memory_id, e.message_id, e.user_id, e.said_at, e.subject, e.predicate, e.object, e.polarity, e.position,
       e.valid_from, e.valid_to, e.quote
from memories m join fact_evidence e on e.tenant = m.tenant and e.message_id = m.message_id
where m.tenant = $1 and m.id = any($2::uuid[]) and e.kind = 'said'
order by e.message_id, e.ordinal

-- name: lock_users
-- Sorted, so that whoever needs several takes them in the same order.
select pg_advisory_xact_lock(hashtextextended($1 || '//' || user_id, 1)) from unnest($2::text[]) as user_id

-- name: keep_evidence
-- A message says what it says: what an earlier reading found in it is replaced whole, and returned. The rows of the
-- messages are held, so that an erasure which comes in between finds the evidence and takes it away too; a message
-- that has no row any more states nothing. Returned are also the messages whose evidence was kept, and the states in
-- which the evidence of users ($5) was before.
with held as (
    select id from memories where tenant = $1 and id = any($4::uuid[]) order by id for key share
), former as (
    select user_id, subject_key, predicate, object_key
    from fact_evidence where tenant = $1 and message_id = any($2::text[])
), dropped as (
    delete from fact_evidence where tenant = $1 and message_id = any($2::text[]) and kind = 'said'
      and (message_id, ordinal) not in (
        select e.message_id, e.ordinal
        from jsonb_to_recordset($3::jsonb) as e (message_id text, ordinal integer))
), kept as (
    insert into fact_evidence (tenant, user_id, message_id, ordinal, said_at, subject, subject_key, predicate, object,
                               object_key, polarity, kind, position, valid_from, valid_to, quote)
    select $1, e.user_id, e.message_id, e.ordinal, e.said_at, e.subject, e.subject_key, e.predicate, e.object,
           e.object_key, e.polarity, e.kind, e.position, e.valid_from, e.valid_to, e.quote
    from jsonb_to_recordset($3::jsonb) as e (
        user_id text, message_id text, ordinal integer, said_at timestamptz, subject text, subject_key text,
        predicate text, object text, object_key text, polarity text, kind text, position integer,
        valid_from timestamptz, valid_to timestamptz, quote text, memory_id uuid)
    join held on held.id = e.memory_id
    order by e.message_id, e.ordinal
    on conflict (tenant, message_id, ordinal) do update
    set said_at = excluded.said_at, subject = excluded.subject, subject_key = excluded.subject_key,
        predicate = excluded.predicate, object = excluded.object, object_key = excluded.object_key,
        polarity = excluded.polarity, position = excluded.position, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
        quote = excluded.quote
    returning message_id
)
select user_id, subject_key, predicate, object_key, null as message_id, null::uuid as state from former
union all
select distinct null, null, null, null, message_id, null::uuid from kept
union all
select user_id, null, null, null, null, state from folded_users where tenant = $1 and user_id = any($5::text[])

-- name: states
-- Evidence of a user that changes, by whomever, changes the state (a trigger): what somebody remembers of what is known
-- of a user counts as long as the state is still the one in which they left it.
select user_id, state from folded_users where tenant = $1 and user_id = any($2::text[])

-- name: evidence
-- Whatever has a say in parts of what is known of a user: $3 names, $4 predicates of the user in person with all their
-- objects, $5 predicates with the object $6.
select message_id, said_at, subject, predicate, object, polarity, kind, position, valid_from, valid_to
from fact_evidence
where tenant = $1 and user_id = $2
  and ((subject_key <> 'user' and subject_key = any($3::text[])) or object_key = any($3::text[])
       or (subject_key = 'user' and predicate = any($4::text[]))
       or (subject_key = 'user' and object_key = any($6::text[])
           and (predicate, object_key) in (select * from unnest($5::text[], $6::text[]))))

-- name: drop_facts
-- Of the same parts, all but $7.
delete from facts
where tenant = $1 and user_id = $2 and not (id = any($7::uuid[]))
  and ((subject_key <> 'user' and subject_key = any($3::text[]))
       or (subject_key = 'user' and predicate = any($4::text[]))
       or (subject_key = 'user' and object_key = any($6::text[])
           and (predicate, object_key) in (select * from unnest($5::text[], $6::text[]))))
returning id

-- name: keep_facts
-- $3 rows, $4 ids of facts that are no more. Returns those that are new or have become others.
with gone as (
    delete from facts where tenant = $1 and id = any($4::uuid[])
)
insert into facts (tenant, id, user_id, subject, subject_key, predicate, object, object_key, confidence, first_seen,
                   last_reinforced, valid_from, valid_to, contradictions, disputed, verified, message_ids)
select $1, f.id, $2, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.confidence, f.first_seen,
       f.last_reinforced, f.valid_from, f.valid_to, f.contradictions, f.disputed, f.verified, f.message_ids
from jsonb_to_recordset($3::jsonb) as f (
    id uuid, subject text, subject_key text, predicate text, object text, object_key text, confidence integer,
    first_seen timestamptz, last_reinforced timestamptz, valid_from timestamptz, valid_to timestamptz,
    contradictions integer, disputed boolean, verified boolean, message_ids text[])
order by f.id
on conflict (tenant, id) do update
set subject = excluded.subject, object = excluded.object, confidence = excluded.confidence,
    first_seen = excluded.first_seen, last_reinforced = excluded.last_reinforced, valid_from = excluded.valid_from,
    valid_to = excluded.valid_to, contradictions = excluded.contradictions, disputed = excluded.disputed,
    verified = excluded.verified, message_ids = excluded.message_ids
where (facts.subject, facts.object, facts.confidence, facts.first_seen, facts.last_reinforced, facts.valid_from,
       facts.valid_to, facts.contradictions, facts.disputed, facts.verified, facts.message_ids)
    is distinct from (excluded.subject, excluded.object, excluded.confidence, excluded.first_seen,
                      excluded.last_reinforced, excluded.valid_from, excluded.valid_to, excluded.contradictions,
                      excluded.disputed, excluded.verified, excluded.message_ids)
returning id

-- name: keep_entities
-- $3 rows, $4 keys of entities that nobody names any more.
with gone as (
    delete from entities where tenant = $1 and user_id = $2 and key = any($4::text[])
)
insert into entities (tenant, user_id, key, name, aliases, mentions)
select $1, $2, e.key, e.name, e.aliases, e.mentions
from jsonb_to_recordset($3::jsonb) as e (key text, name text, aliases text[], mentions integer)
order by e.key
on conflict (tenant, user_id, key) do update
set name = excluded.name, aliases = excluded.aliases, mentions = excluded.mentions
where (entities.name, entities.aliases, entities.mentions)
    is distinct from (excluded.name, excluded.aliases, excluded.mentions)

-- name: facts
-- $3 entity key, $4 predicate, $5 least confidence, $6 the instant at which they held, $7 also those that do not hold
-- now, and those that never did but were said; $8 how many
select id, subject, predicate, object, confidence, first_seen, last_reinforced, valid_from, valid_to, contradictions,
       disputed, verified, message_ids
from facts
where tenant = $1 and user_id = $2
  and ($3::text is null or subject_key = $3 or object_key = $3)
  and ($4::text is null or predicate = $4)
  and (confidence >= $5::double precision or verified)
  and ($7::boolean or case when $6::timestamptz is null then valid_to is null
                           else (valid_from is null or valid_from <= $6) and (valid_to is null or $6 < valid_to) end)
order by confidence desc, last_reinforced desc, id
limit $8

-- name: surfacing
-- Current facts that a recall may show: about one of the named entities ($3), which come first, firm, or verified.
-- Each of the three by its own index, so that not all that is known of a user is read for the ten that are shown.
with named as (
    select * from facts
    where tenant = $1 and user_id = $2 and valid_to is null
      and (subject_key = any($3::text[]) or object_key = any($3::text[]))
    order by confidence desc, last_reinforced desc, id limit $5
), firm as (
    select * from facts
    where tenant = $1 and user_id = $2 and valid_to is null and confidence >= $4
    order by confidence desc, last_reinforced desc, id limit $5
), sure as (
    select * from facts
    where tenant = $1 and user_id = $2 and valid_to is null and verified
    order by confidence desc, last_reinforced desc, id limit $5
), shown as (
    select * from named union select * from firm union select * from sure
)
select id, subject, predicate, object, confidence, first_seen, last_reinforced, valid_from, valid_to, contradictions,
       disputed, verified, message_ids
from shown
order by id in (select id from named) desc, confidence desc, last_reinforced desc, id
limit $5
