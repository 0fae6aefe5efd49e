-- fragment: chain
-- No message is put right by itself, be it by way of others: where rows say so, the chain ends there.
    select id as read, id, 0 as place from requested
    union all
    select chain.read, c.corrected_id, chain.place + 1
    from chain join corrections c on c.tenant = $1 and c.correcting_id = chain.id and c.corrected_id is not null

-- name: lock_stages
-- Of all that `mark_extracted` will set, in the order of their ids as there: nobody waits for them in a circle. Who links a
-- correction to something else waits, and takes its stage back then; or has done so, and the next statement sees it.
select from stages where tenant = $1 and memory_id = any($2::uuid[]) order by memory_id for update

-- name: corrected_texts
-- What messages put right: their texts, the nearest first.
with recursive requested as (
    select unnest($2::uuid[]) as id
), chain as (
-- include: chain
) cycle id set again using way
select chain.read, array_agg(m.content order by chain.place) as texts
from chain cross join lateral (select content from memories where tenant = $1 and id = chain.id offset 0) as m
where chain.place > 0 and not chain.again
group by chain.read

-- name: said_names
-- The people and animals that all evidence of a user speaks of, and who they are. $3 predicates whose object is one.
select subject as name, subject_tie as tie, subject_key as entity_key
from fact_evidence
where tenant = $1 and user_id = $2 and (subject_key < 'user' or subject_key > 'user') and subject_key <> ''
union
select object, object_tie, object_key
from fact_evidence
where tenant = $1 and user_id = $2 and predicate = any($3::text[]) and object_key not in ('', 'user')

-- name: known_names
select name, tie, entity, entity_key from mentions
where tenant = $1 and user_id = $2 and word >= '' and name <> ''  -- the first bounds the index

-- name: are_resolved
delete from mentions where tenant = $1 and user_id = $2 and name_hash = md5('')::uuid and name = ''

-- name: names_near
-- The mentions that may change who those with the first words $3 and the ties $4 are: those of the same first word, and "my
-- brother" with all of a first word of which one is a brother. $5 ties of which "my ..." alone may say who is meant.
with kinds as (
    select kind from mentions where tenant = $1 and user_id = $2 and word = any($3::text[])
    union
    select unnest($4::text[])
), unnamed as (
    select name, tie, entity, entity_key, kind from mentions
    where tenant = $1 and user_id = $2 and word = '' and kind = any($5::text[])
      and kind = any(array(select kind from kinds))
), words as (
    select unnest($3::text[]) as word
    union
    select word from mentions
    where tenant = $1 and user_id = $2 and word <> '' and kind = any($5::text[])
      and kind = any(array(select kind from unnamed union select unnest($4::text[])))
)
select name, tie, entity, entity_key from mentions
where tenant = $1 and user_id = $2 and word <> '' and word = any(array(select word from words))
union all
select name, tie, entity, entity_key from unnamed

-- name: lose_names
-- Of mentions ($3 names, $4 ties) in evidence that is gone, deletes and returns those of which there is no other. $5 predicates
-- whose object is a person or an animal.
with lost as (
    select m.name_hash, m.tie
    from unnest($3::text[], $4::text[]) as gone (name, tie)
    join mentions m on m.tenant = $1 and m.user_id = $2 and m.name_hash = md5(gone.name)::uuid and m.tie = gone.tie
    where not exists (
        select from fact_evidence e
        where e.tenant = $1 and e.user_id = $2 and e.subject_key = m.entity_key and e.subject_key <> 'user'
          and e.subject = m.name and e.subject_tie = m.tie
    ) and not exists (
        select from fact_evidence e
        where e.tenant = $1 and e.user_id = $2 and e.object_key = m.entity_key and e.object = m.name and e.object_tie = m.tie
          and e.predicate = any($5::text[])
    )
)
delete from mentions m using lost
where m.tenant = $1 and m.user_id = $2 and m.name_hash = lost.name_hash and m.tie = lost.tie
returning m.name, m.tie

-- name: save_names
-- Writes mentions ($3 rows), and puts their entities into the evidence in which they had other ones ("former_key"). Returned is
-- of what the evidence says something now, or said before. $4 predicates whose object is a person or an animal.
with input as (
    select * from jsonb_to_recordset($3::jsonb) as m (
        name text, tie text, word text, kind text, entity text, entity_key text, former_key text)
), saved as (
    insert into mentions (tenant, user_id, name, tie, word, kind, entity, entity_key)
    select distinct on (name, tie) $1, $2, name, tie, word, kind, entity, entity_key from input order by name, tie
    on conflict (tenant, user_id, name_hash, tie) do update
    set (entity, entity_key) = (excluded.entity, excluded.entity_key)
), named as (
    select e.message_id, e.ordinal, m.entity_key as subject_key, m.entity as subject_name,
           null as object_key, null as object_name
    from input m cross join lateral (
        select message_id, ordinal, subject, subject_tie from fact_evidence
        where tenant = $1 and user_id = $2 and subject_key = m.former_key and subject_key <> 'user' offset 0) as e
    where e.subject = m.name and e.subject_tie = m.tie
    union all
    select e.message_id, e.ordinal, null, null, m.entity_key, m.entity
    from input m cross join lateral (
        select message_id, ordinal, predicate, object, object_tie from fact_evidence
        where tenant = $1 and user_id = $2 and object_key = m.former_key offset 0) as e
    where e.object = m.name and e.object_tie = m.tie and e.predicate = any($4::text[])
), renamed as (
    update fact_evidence e
    set subject_key = coalesce(n.subject_key, e.subject_key), subject_name = coalesce(n.subject_name, e.subject_name),
        object_key = coalesce(n.object_key, e.object_key), object_name = coalesce(n.object_name, e.object_name)
    from (select message_id, ordinal, max(subject_key) as subject_key, max(subject_name) as subject_name,
                 max(object_key) as object_key, max(object_name) as object_name
          from named group by message_id, ordinal) as n
    where e.tenant = $1 and e.message_id = n.message_id and e.ordinal = n.ordinal
    returning e.subject_key, e.predicate, e.object_key
)
select e.subject_key, e.predicate, e.object_key
from named n join fact_evidence e on e.tenant = $1 and e.message_id = n.message_id and e.ordinal = n.ordinal
union
select subject_key, predicate, object_key from renamed

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
-- Of asking about a user's doubts, until the session releases it or ends: nobody waits for it.
select pg_try_advisory_lock(hashtextextended($1 || '//' || $2, 3))

-- name: release_user
select pg_advisory_unlock(hashtextextended($1 || '//' || $2, 3))

-- name: still_open
-- A pair of names ($3, $4) that nobody was asked about.
select from identity_decisions
where tenant = $1 and user_id = $2 and same is null and decided_by = '' and first = $3 and second = $4

-- name: withdraw_doubt
-- A pair of names ($3, $4) that nobody was asked about.
delete from identity_decisions
where tenant = $1 and user_id = $2 and same is null and decided_by = '' and first = $3 and second = $4

-- name: has_evidence
select exists (select from fact_evidence where tenant = $1 and user_id = $2)

-- name: absence
-- Why a message ($3) is no memory of a user ($2): it is another user's, kept as history only, or forgotten; null where it may
-- yet arrive, or has just arrived.
select case
    when exists (select from history where tenant = $1 and message_id = $3 and user_id is distinct from $2) then 'foreign'
    when exists (
        select from history h where h.tenant = $1 and h.message_id = $3
        and not exists (select from memories m where m.tenant = $1 and m.id = h.memory_id)) then 'history'
    when is_forgotten($1, $2, '', $3, 'infinity') then 'forgotten' end

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
-- Returned is whether that may have changed who is who.
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
)
select exists (select from other) as changed
