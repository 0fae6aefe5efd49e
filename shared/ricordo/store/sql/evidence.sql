-- The columns of `Evidence`, without its message; rows.py writes and reads them.

-- fragment: columns
    sent_at, subject, predicate, object, polarity, kind, position, valid_from, valid_to, subject_tie, object_tie

-- fragment: excluded
    excluded.sent_at, excluded.subject, excluded.predicate, excluded.object, excluded.polarity, excluded.kind,
    excluded.position, excluded.valid_from, excluded.valid_to, excluded.subject_tie, excluded.object_tie

-- name: of_memories
-- What earlier readings found in messages; of one that was read and states nothing, a row without a predicate.
select m.id as memory_id, m.message_id, m.user_id, coalesce(e.sent_at, m.created_at) as message_sent_at, e.*
from memories m
join stages s on s.tenant = m.tenant and s.memory_id = m.id and s.extracted is not null
left join lateral (
    select ordinal, quote,
-- include: columns
    from fact_evidence where tenant = m.tenant and message_id = m.message_id and kind = 'said'
) e on true
where m.tenant = $1 and m.id = any($2::uuid[])
order by m.message_id, e.ordinal

-- name: keep_evidence
-- Replaces the evidence of messages, and returns the former. The rows of the messages are locked, so that a concurrent
-- erasure deletes the evidence too; a message without a row has none. Returned are also the messages whose evidence was
-- stored, and the former versions of the evidence of users ($5).
with locked as (
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
    insert into fact_evidence (tenant, user_id, message_id, ordinal, subject_key, object_key, quote,
-- include: columns
    )
    select $1, user_id, message_id, ordinal, subject_key, object_key, quote,
-- include: columns
    from jsonb_array_elements($3::jsonb) as one, jsonb_populate_record(null::fact_evidence, one), locked
    where locked.id = (one ->> 'memory_id')::uuid
    order by message_id, ordinal
    on conflict (tenant, message_id, ordinal) do update set (subject_key, object_key, quote,
-- include: columns
    ) = (excluded.subject_key, excluded.object_key, excluded.quote,
-- include: excluded
    )
    returning message_id
)
select user_id, subject_key, predicate, object_key, null as message_id, null::uuid as version from former
union all
select distinct null, null, null, null, message_id, null::uuid from kept
union all
select user_id, null, null, null, null, version from evidence_versions where tenant = $1 and user_id = any($5::text[])

-- name: keep_word
-- An assertion needs no memory: it is deleted with its user.
insert into fact_evidence (tenant, user_id, message_id, ordinal, subject_key, object_key,
-- include: columns
)
select $1, $2, message_id, ordinal, subject_key, object_key,
-- include: columns
from jsonb_populate_recordset(null::fact_evidence, $3::jsonb)

-- name: evidence
-- Whatever has a say in parts of what is known of a user: $3 names, $4 predicates of the user in person with all their
-- objects, $5 predicates with the object $6.
select message_id,
-- include: columns
from fact_evidence
where tenant = $1 and user_id = $2
  and ((subject_key <> 'user' and subject_key = any($3::text[])) or object_key = any($3::text[])
       or (subject_key = 'user' and predicate = any($4::text[]))
       or (subject_key = 'user' and object_key = any($6::text[])
           and (predicate, object_key) in (select * from unnest($5::text[], $6::text[]))))

-- name: kept_word
-- What was kept of a request, unless its user ($3) is forgotten.
select message_id, subject_key, object_key,
-- include: columns
from fact_evidence
where tenant = $1 and message_id = $2
  and not is_being_erased($1, $3, '')
order by ordinal
