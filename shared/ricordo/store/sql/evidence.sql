-- The columns of `Evidence`, without its message; rows.py writes and reads them.

-- fragment: columns
    sent_at, subject, predicate, object, polarity, kind, position, valid_from, valid_to, subject_tie, object_tie

-- name: of_memories
-- What earlier readings found in messages; of one that was read and states nothing, a row without a predicate.
select m.id as memory_id, m.message_id, m.user_id, coalesce(e.sent_at, m.created_at) as message_sent_at, e.*
from memories m
join stages s on s.tenant = m.tenant and s.memory_id = m.id and s.extracted is not null
left join lateral (
    select ordinal, quote,
-- include: columns
    from fact_evidence where tenant = m.tenant and message_id = m.message_id and kind = 'said' and ordinal >= 0
) e on true
where m.tenant = $1 and m.id = any($2::uuid[])
order by m.message_id, e.ordinal

-- fragment: statement
-- What folding has to know of a row of evidence.
    user_id, subject, subject_tie, subject_key, predicate, object, object_tie, object_key

-- fragment: resolved
-- Rows to be stored as `one`, with the entities that their names are known to mean.
    left join lateral (
        select entity, entity_key from mentions
        where tenant = $1 and user_id = one.user_id and name_hash = md5(one.subject)::uuid and tie = one.subject_tie
          and one.subject_key <> 'user'
        offset 0) as s on true
    left join lateral (
        select entity, entity_key from mentions
        where tenant = $1 and user_id = one.user_id and name_hash = md5(one.object)::uuid and tie = one.object_tie
          and one.predicate = any($3::text[])
        offset 0) as o on true

-- fragment: with_keys
           coalesce(s.entity_key, one.subject_key) as subject_key, coalesce(o.entity_key, one.object_key) as object_key,
           coalesce(s.entity, '') as subject_name, coalesce(o.entity, '') as object_name,
           s.entity_key is not null as subject_known, o.entity_key is not null as object_known

-- name: keep_evidence
-- Replaces the evidence of messages ($4) with $2, and returns the former ("stored" is false) and what is stored. The rows of
-- the memories ($5) are locked, so that a concurrent erasure deletes the evidence too; a message without a row has none. What
-- a bot asserts of a message has ordinals below 0, and stays while the text has its words.
-- $3 predicates whose object is a person or an animal.
with locked as (
    select id, message_id, content from memories
    where tenant = $1 and id = any($5::uuid[]) order by id for key share
), former as (
    select message_id,
-- include: statement
    from fact_evidence where tenant = $1 and message_id = any($4::text[])
), dropped as (
    delete from fact_evidence f where tenant = $1 and message_id = any($4::text[]) and kind = 'said'
      and (message_id, ordinal) not in (
        select e.message_id, e.ordinal
        from jsonb_to_recordset($2::jsonb) as e (message_id text, ordinal integer))
      and not exists (
        select from locked l where f.ordinal < 0 and l.message_id = f.message_id and position(f.quote in l.content) > 0)
), known as (
    select one.user_id, one.message_id, one.ordinal, one.quote,
-- include: columns of one
           ,
-- include: with_keys
    from jsonb_array_elements($2::jsonb) as row
    cross join lateral jsonb_populate_record(null::fact_evidence, row) as one
    join locked on locked.id = (row ->> 'memory_id')::uuid
-- include: resolved
), kept as (
    insert into fact_evidence (tenant, user_id, message_id, ordinal, subject_key, object_key, subject_name, object_name, quote,
-- include: columns
    )
    select $1, user_id, message_id, ordinal, subject_key, object_key, subject_name, object_name, quote,
-- include: columns
    from known
    order by message_id, ordinal
    on conflict (tenant, message_id, ordinal) do update
    set (subject_key, object_key, subject_name, object_name, quote,
-- include: columns
    ) = (excluded.subject_key, excluded.object_key, excluded.subject_name, excluded.object_name, excluded.quote,
-- include: columns of excluded
    )
)
select false as stored, message_id, false as subject_known, false as object_known,
-- include: statement
from former
union all
select true, message_id, subject_known, object_known,
-- include: statement
from known

-- name: keep_word
-- Keeps what a user decides or a bot asserts. $2 rows, $3 as above; returned as above. $4 memory of the message that it is
-- evidence of, which must be there; null for none: it is deleted with its user, or, of a user's word, with the last message
-- that states a value of it.
with known as (
    select one.user_id, one.message_id, one.ordinal, coalesce(one.quote, '') as quote,
-- include: columns of one
           ,
-- include: with_keys
    from jsonb_populate_recordset(null::fact_evidence, $2::jsonb) as one
-- include: resolved
    where one.ordinal >= 0 or ($4::uuid is null and not is_being_erased($1, one.user_id, ''))
       or exists (select from memories m where m.tenant = $1 and m.id = $4::uuid and m.user_id = one.user_id)
), kept as (
    insert into fact_evidence (tenant, user_id, message_id, ordinal, subject_key, object_key, subject_name, object_name, quote,
-- include: columns
    )
    select $1, user_id, message_id, ordinal, subject_key, object_key, subject_name, object_name, quote,
-- include: columns
    from known
    on conflict (tenant, message_id, ordinal) do update
    set (quote,
-- include: columns
    ) = (excluded.quote,
-- include: columns of excluded
    )
)
select subject_known, object_known,
-- include: statement
from known

-- name: kept_word
-- What was kept of a request, unless its user ($3) is forgotten.
select message_id, user_id, ordinal, subject_key, object_key,
-- include: columns
from fact_evidence
where tenant = $1 and message_id = $2
  and not is_being_erased($1, $3, '')
order by ordinal
