-- fragment: chain
-- No message is put right by itself, be it by way of others: where rows say so, the chain ends there.
    select id as read, id, 0 as place from requested
    union all
    select chain.read, c.corrected_id, chain.place + 1
    from chain join corrections c on c.tenant = $1 and c.correcting_id = chain.id and c.corrected_id is not null

-- name: utterances
select * from messages_to_read($1, $2)

-- name: lock_stages
-- Of all that `mark` will set, in the order of their ids as there: nobody waits for them in a circle. Who links a correction
-- to something else waits, and takes its stage back then; or has done so, and the next statement sees it.
select from stages where tenant = $1 and memory_id = any($2::uuid[]) order by memory_id for update

-- name: corrected_texts
-- What messages put right: their texts, the nearest first.
with recursive requested as (
    select unnest($2::uuid[]) as id
), chain as (
-- include: chain
) cycle id set again using way
select chain.read, array_agg(m.content order by chain.place) as texts
from chain join memories m on m.tenant = $1 and m.id = chain.id
where chain.place > 0 and not chain.again
group by chain.read

-- name: lock_messages
select * from lock_messages($1, $2, $3, $4, $5)

-- name: versions
-- Evidence of a user that changes, by whomever, changes the state (a trigger): what somebody remembers of what is known
-- of a user counts as long as the state is still the one in which they left it.
select user_id, version from evidence_versions where tenant = $1 and user_id = any($2::text[])

-- name: mark_extracted
-- $2 memories, $3 instant, $4 the consumers that set the stage, $5 users: all stages of the memories, and the versions of the
-- evidence of the users.
select memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted, null::uuid as version
from mark_stage($1, $2, 'extracted', $3, $4)
union all
select null, null, user_id, null, null, null, null, null, null, version
from evidence_versions where tenant = $1 and user_id = any($5::text[])

-- name: mentions
-- The people and animals that evidence speaks of, but for that of the messages $4: the words, the tie, and who that is.
-- $3 predicates whose object is one. What is said of a stranger (a tie of "~") tells of nobody but strangers.
select subject as name, subject_tie as tie, subject_key as key, true as tells
from fact_evidence
where tenant = $1 and user_id = $2 and (subject_key < 'user' or subject_key > 'user') and not (message_id = any($4::text[]))
union
select object, object_tie, object_key, subject_tie <> '~' or subject_key = 'user' or object_tie = '~'
from fact_evidence
where tenant = $1 and user_id = $2 and predicate = any($3::text[]) and not (message_id = any($4::text[]))

-- name: decisions
-- What the user has left to the rules again is one, too: a model is not to decide it.
select first, second, same, decided_by = 'user' as firm from identity_decisions
where tenant = $1 and user_id = $2 and (same is not null or decided_by = 'user')

-- name: doubt
-- Pairs of names ($3, $4) of which rules cannot say whether they are one, once each.
insert into identity_decisions (tenant, user_id, first, second)
select $1, $2, first, second from unnest($3::text[], $4::text[]) as pair (first, second)
order by first, second
on conflict do nothing

-- name: open_doubts
-- Of whomever, the oldest first: those that nobody was asked about yet.
select user_id, first, second from identity_decisions
where tenant = $1 and same is null and decided_by = '' order by decided_at, user_id, first, second limit $2

-- name: lease_user
-- Of asking about a user's doubts, until the transaction ends: nobody waits for it. Whoever is asked may take longer than
-- a transaction may be idle otherwise.
select pg_try_advisory_xact_lock(hashtextextended($1 || '//' || $2, 3))
from set_config('idle_in_transaction_session_timeout', '600000', true)

-- name: still_open
-- Of pairs of names ($3, $4) those that nobody was asked about.
select first, second from identity_decisions
where tenant = $1 and user_id = $2 and same is null and decided_by = ''
  and (first, second) in (select * from unnest($3::text[], $4::text[]))

-- name: withdraw_doubts
-- Of pairs of names ($3, $4) those that nobody was asked about.
delete from identity_decisions
where tenant = $1 and user_id = $2 and same is null and decided_by = ''
  and (first, second) in (select * from unnest($3::text[], $4::text[]))

-- name: has_evidence
-- Whether there is evidence of a user: where some has gone, there may be no state of the rest.
select exists (select from fact_evidence where tenant = $1 and user_id = $2)

-- name: record_request
-- A request is known by its id, and by that together with what it says ($2): both are new, or neither is, unless it says
-- something else than before.
insert into inbox (tenant, consumer, event_id, handled_at)
select $1, 'identify', one, now() from unnest($2::uuid[]) as one
on conflict do nothing returning event_id

-- name: decided
-- The decision of the user about two names.
select same from identity_decisions
where tenant = $1 and user_id = $2 and first = $3 and second = $4 and decided_by = 'user'

-- name: is_decided
-- Whether there is a decision of the user about two names.
select exists (
    select from identity_decisions
    where tenant = $1 and user_id = $2 and first = $3 and second = $4 and decided_by = 'user')

-- name: other_decisions
select count(*) from identity_decisions
where tenant = $1 and user_id = $2 and decided_by = 'user' and (first, second) <> ($3, $4)

-- name: forgotten
-- $3 when something was decided
select is_forgotten($1, $2, '', '', $3)

-- name: decide
-- $7 when it was decided; null for now. What the user has said only the user takes back, and nothing that was said before it.
-- Whoever remembers who is who reads it anew. Returned is whether that may have changed who is who.
with former as (
    select same, decided_by = 'user' as firm from identity_decisions
    where tenant = $1 and user_id = $2 and first = $3 and second = $4
), decided as (
    insert into identity_decisions (tenant, user_id, first, second, same, decided_by, decided_at)
    values ($1, $2, $3, $4, $5, $6, coalesce($7, now()))
    on conflict (tenant, user_id, first, second) do update
    set same = excluded.same, decided_by = excluded.decided_by, decided_at = excluded.decided_at
    where (identity_decisions.decided_by <> 'user' or excluded.decided_by = 'user')
      and ($7::timestamptz is null or identity_decisions.decided_by <> 'user' or identity_decisions.decided_at <= $7)
    returning same, decided_by = 'user' as firm
), other as (
    select from decided left join former on true
    where (decided.same, decided.firm) is distinct from (former.same, coalesce(former.firm, false))
), renewed as (
    update evidence_versions set version = gen_random_uuid()
    where tenant = $1 and user_id = $2 and exists (select from other)
)
select exists (select from other) as changed

-- name: rename
-- Mentions ($4: names, ties, keys) are somebody else now: in the evidence of the messages $5, or in all. Returned is in
-- what they have, or had, a say. $3 predicates whose object is somebody.
with mentions as (
    select distinct m.name, m.tie, m.key from jsonb_to_recordset($4::jsonb) as m (name text, tie text, key text)
), matching as (
    select e.message_id, e.ordinal, e.subject_key, e.predicate, e.object_key,
           coalesce(s.key, e.subject_key) as new_subject_key, coalesce(o.key, e.object_key) as new_object_key
    from fact_evidence e
    left join mentions s on s.name = e.subject and s.tie = e.subject_tie and e.subject_key <> 'user'
    left join mentions o on o.name = e.object and o.tie = e.object_tie and e.predicate = any($3::text[])
    where e.tenant = $1 and e.user_id = $2 and ($5::text[] is null or e.message_id = any($5::text[]))
      and (s.key is not null or o.key is not null)
), renamed as (
    update fact_evidence e set subject_key = h.new_subject_key, object_key = h.new_object_key
    from matching h
    where e.tenant = $1 and e.message_id = h.message_id and e.ordinal = h.ordinal
      and (e.subject_key, e.object_key) is distinct from (h.new_subject_key, h.new_object_key)
)
select subject_key, predicate, object_key from matching
union
select new_subject_key, predicate, new_object_key from matching

-- name: write_facts
-- $3 rows, $4 ids of facts that are no more, and of the parts $5 to $8 (as of evidence) all but the rows. What has changed
-- gets the next version of the user's facts, and what is deleted leaves it. $9 rows of entities, $10 keys of entities that
-- nobody names any more. Returned is which facts were written, or deleted.
with input as (
    select * from jsonb_populate_recordset(null::facts, $3::jsonb)
), changed as (
    select i.* from input i left join facts f on f.tenant = $1 and f.id = i.id
    where f.id is null or (
-- include: fact_columns.mutable of f
    ) is distinct from (
-- include: fact_columns.mutable of i
    )
), going as (
    select id from facts
    where tenant = $1 and user_id = $2 and id not in (select id from input)
      and ((subject_key <> 'user' and subject_key = any($5::text[]))
           or (subject_key = 'user' and predicate = any($6::text[]))
           or (subject_key = 'user' and object_key = any($8::text[])
               and (predicate, object_key) in (select * from unnest($7::text[], $8::text[]))))
    union
    select id from facts where tenant = $1 and id = any($4::uuid[]) and user_id is not distinct from $2
), drawn as (
    insert into fact_versions as v (tenant, user_id, version)
    select $1, $2, 1 where exists (select from changed) or exists (select from going)
    on conflict (tenant, user_id) do update set version = v.version + 1
    returning version
), gone as (
    delete from facts where tenant = $1 and id in (select id from going) returning id
), left_behind as (
    insert into gone_facts (tenant, user_id, id, version) select $1, $2, gone.id, drawn.version from gone, drawn
    on conflict (tenant, id) do update set version = excluded.version
), written as (
    insert into facts (tenant, user_id, version, subject_key, object_key,
-- include: fact_columns.columns
    )
    select $1, $2, (select version from drawn), subject_key, object_key,
-- include: fact_columns.columns
    from changed
    order by id
    on conflict (tenant, id) do update set (version,
-- include: fact_columns.mutable
    ) = (excluded.version,
-- include: fact_columns.mutable of excluded
    )
    returning id
), unnamed_entities as (
    delete from entities where tenant = $1 and user_id = $2 and key = any($10::text[])
), named as (
    select distinct one.key, name_key
    from jsonb_to_recordset($9::jsonb) as one (key text, names text[]), unnest(one.names) as name_key
), unnamed as (
    delete from entity_names n
    where tenant = $1 and user_id = $2
      and (key = any($10::text[]) or key in (select k.key from jsonb_to_recordset($9::jsonb) as k (key text)))
      and not exists (select from named where named.key = n.key and named.name_key = n.name_key)
), other_names as (
    insert into entity_names (tenant, user_id, name_key, key)
    select $1, $2, name_key, key from named order by name_key, key
    on conflict do nothing
), kept_entities as (
    insert into entities (tenant, user_id, key, name, aliases, mentions)
    select $1, $2, e.key, e.name, e.aliases, e.mentions
    from jsonb_to_recordset($9::jsonb) as e (key text, name text, aliases text[], mentions integer)
    order by e.key
    on conflict (tenant, user_id, key) do update
    set name = excluded.name, aliases = excluded.aliases, mentions = excluded.mentions
    where (entities.name, entities.aliases, entities.mentions)
        is distinct from (excluded.name, excluded.aliases, excluded.mentions)
)
select id, true as written from written
union all
select id, false from gone
