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

-- name: keep_word
-- No memory stands behind it, and none is needed: it goes with its user.
insert into fact_evidence (tenant, user_id, message_id, ordinal, said_at, subject, subject_key, predicate, object,
                           object_key, polarity, kind, position, valid_from, valid_to, subject_tie, object_tie)
select $1, $2, e.message_id, e.ordinal, e.said_at, e.subject, e.subject_key, e.predicate, e.object, e.object_key,
       e.polarity, e.kind, e.position, e.valid_from, e.valid_to, e.subject_tie, e.object_tie
from jsonb_to_recordset($3::jsonb) as e (
    message_id text, ordinal integer, said_at timestamptz, subject text, subject_key text, predicate text, object text,
    object_key text, polarity text, kind text, position integer, valid_from timestamptz, valid_to timestamptz,
    subject_tie text, object_tie text)
