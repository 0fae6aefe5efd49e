-- What the user says was read wrongly.

-- fragment: columns
    message_id, subject, predicate, object, quote

-- name: of_request
-- Of which fact a request was, if it was made.
select fact_id from rejections where tenant = $1 and request_id = $2 limit 1

-- name: of_messages
select
-- include: columns
from rejections where tenant = $1 and message_id = any($2::text[])

-- name: take_back
-- What messages say for a fact ($3 subject, $4 predicate, $5 object) is evidence no more; with the words that said so.
delete from fact_evidence
where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = $4 and object_key = $5
  and kind = 'said' and polarity <> 'denied'
returning message_id, subject, object, quote, subject_key, predicate, object_key

-- name: is_confirmed
-- Whether the user has ever said that a fact is so.
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

-- name: said_in
-- What messages ($3) say, with the words of each.
select ordinal, quote, message_id, subject_key, object_key,
-- include: evidence.columns
from fact_evidence
where tenant = $1 and user_id is not distinct from $2 and message_id = any($3::text[]) and kind = 'said'

-- name: drop
-- $3 messages, $4 ordinals
delete from fact_evidence
where tenant = $1 and user_id is not distinct from $2 and (message_id, ordinal) in (select * from unnest($3::text[], $4::integer[]))
