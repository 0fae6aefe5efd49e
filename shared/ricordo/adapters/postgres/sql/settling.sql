-- name: hold_fact
-- The fact of which a user says something, unless that user is forgotten. It is held, so that an erasure which comes in
-- between finds the evidence and takes it away too.
select id, subject, subject_key, predicate, object, object_key, confidence, first_seen, last_reinforced, valid_from, valid_to,
       contradictions, disputed, verified, message_ids
from facts f
where f.tenant = $1 and f.user_id = $2 and f.id = $3
  and not exists (select from tombstones t where t.tenant = $1 and t.scope = 'user' and t.user_id = $2)
for update of f

-- name: last_said
-- When something was last said of the subject $3 with one of the predicates $4.
select max(said_at) from fact_evidence
where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = any($4::text[])

-- name: words
-- In which words a fact was said first, and what ties to the user whom they speak of.
select subject, subject_tie, object, object_tie from fact_evidence
where tenant = $1 and user_id = $2 and subject_key = $3 and predicate = $4 and object_key = $5
order by said_at, message_id, ordinal limit 1

-- name: kept_word
select predicate, object, object_key, kind from fact_evidence where tenant = $1 and message_id = $2 order by ordinal
