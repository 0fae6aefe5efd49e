-- name: lock_fact
-- The fact of which a user says something, unless that user is forgotten: of the periods of its value, the one that
-- holds, or is disputed, or else the one that is named. It is held, so that an erasure which comes in between finds the
-- evidence and takes it away too.
with matching as (
    select f.* from facts named
    join facts f on f.tenant = $1 and f.user_id = $2 and f.subject_key = named.subject_key
                and f.predicate = named.predicate and f.object_key = named.object_key
    where named.tenant = $1 and named.user_id = $2 and named.id = $3
      and not is_being_erased($1, $2, '')
    order by f.valid_to is null desc, f.disputed desc, f.id = $3 desc
    limit 1
    for update of f
)
select subject_key, object_key,
-- include: fact_columns.columns
from matching

-- name: last_evidence
-- When something was last stated of the subject $3 with one of the predicates $4.
select max(sent_at) from fact_evidence
where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = any($4::text[])

-- name: words
-- The first words of a fact, and its ties to the user: those that name the object ("my brother Leo", not "my brother")
-- and tell its gender come before others.
select subject, subject_tie, object, object_tie from fact_evidence
where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = $4 and object_key = $5
order by object_tie ~ '^([?~]|$)', object_tie ~ '//', sent_at, message_id, ordinal limit 1

-- name: later
-- The last period of a fact ($3 subject, $4 predicate, $5 object), if it is later than $6.
select later.id from facts later join facts named on named.tenant = $1 and named.id = $6
where later.tenant = $1 and later.user_id = $2 and later.subject_key = $3 and later.predicate = $4 and later.object_key = $5
  and later.id <> $6 and later.valid_from is distinct from later.valid_to
  and coalesce(later.valid_to, 'infinity') > coalesce(named.valid_to, 'infinity') and not named.disputed
order by later.valid_to desc nulls first limit 1

-- name: instead
-- What holds of the subject $3 and the predicate $4, where that has one value at a time.
select id from facts
where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = $4 and valid_to is null

-- name: corrected
-- Values that the user has replaced by the value $5, where both may hold.
select rejected.sent_at, rejected.subject, rejected.subject_tie, rejected.object, rejected.object_tie
from fact_evidence word
join fact_evidence rejected on rejected.tenant = word.tenant and rejected.message_id = word.message_id
                           and rejected.kind = 'rejected' and rejected.object_key <> word.object_key
where word.tenant = $1 and word.user_id = $2 and word.subject_key = $3 and word.predicate = $4 and word.object_key = $5
  and word.kind = 'verified'
order by rejected.sent_at

-- name: is_memory_request
-- Whether the request was made already, and not of a fact.
select exists (select from requests where tenant = $1 and id = $2)

-- What the user says was read wrongly.

-- fragment: columns
    message_id, subject, predicate, object, quote

-- name: of_request
-- Of which fact a request was, if it was made.
select fact_id from rejections where tenant = $1 and request_id = $2 limit 1

-- name: delete_evidence
-- Deletes the evidence of messages for a fact ($3 subject, $4 predicate, $5 object), and returns it with its words.
delete from fact_evidence
where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = $4 and object_key = $5
  and kind = 'said' and polarity <> 'denied'
returning message_id, quote,
-- include: evidence.statement

-- name: is_verified
-- Whether the user has ever verified a fact.
select exists (
    select from fact_evidence
    where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = $4 and object_key = $5 and kind = 'verified')

-- name: keep
-- $3 rows.
insert into rejections (tenant, user_id, request_id, ordinal, fact_id, rejected_at,
-- include: columns
)
select $1, $2, request_id, ordinal, fact_id, rejected_at,
-- include: columns
from jsonb_populate_recordset(null::rejections, $3::jsonb)
order by request_id, ordinal
on conflict do nothing

-- name: evidence_of
-- What messages ($3) say, with the words of each.
select ordinal, quote, message_id, user_id, subject_key, object_key,
-- include: evidence.columns
from fact_evidence
where tenant = $1 and user_id is not distinct from $2 and message_id = any($3::text[]) and kind = 'said'

-- name: drop
-- $3 messages, $4 ordinals
delete from fact_evidence
where tenant = $1 and user_id is not distinct from $2 and (message_id, ordinal) in (select * from unnest($3::text[], $4::integer[]))
