-- Which message corrects which.

-- name: lock
-- Who writes what corrects what holds the lock of its user.
-- $2 user ids, sorted, so that whoever needs several takes them in the same order. Until the end of the transaction
-- nobody else changes links of theirs, nor finishes to erase a memory of theirs.
select pg_advisory_xact_lock(hashtextextended($1 || '/' || user_id, 2)) from unnest($2::text[]) as user_id

-- fragment: message
    m.id, m.user_id, m.message_id, m.conversation_id, m.content, m.created_at, m.speaker

-- name: affected
-- $2 ids of messages that correct nothing: their rows are deleted, and those that did correct something are returned, without
-- a user. And what corrects messages of the users $3 that were sent within [$4, $5].
with gone as (
    delete from corrections where tenant = $1 and correcting_id = any($2::uuid[]) returning correcting_id, corrected_id
)
select c.corrected_id,
-- include: message
from corrections c join memories m on m.tenant = $1 and m.id = c.correcting_id
where c.tenant = $1 and c.user_id = any($3::text[]) and c.sent_at between $4 and $5
  and not (c.correcting_id = any($2::uuid[]))
union all
select null, correcting_id, null, null, null, null, null, null from gone where corrected_id is not null

-- name: behind
-- $2 user. What corrects one of the memories $3, or was sent in one of the conversations $4.
select
-- include: message
from corrections c join memories m on m.tenant = $1 and m.id = c.correcting_id
where c.tenant = $1 and c.user_id = $2 and (c.corrected_id = any($3::uuid[]) or m.conversation_id = any($4::text[]))

-- name: earlier
-- What a message may correct: sent by the user $2 within [$3, $4], the last $6 of the conversation $5 among it, and all
-- that looks like the pattern $7 (null for none).
(
    select
-- include: message
    from memories m
    where m.tenant = $1 and m.user_id = $2 and m.conversation_id = $5 and m.created_at between $3 and $4
      and m.role = 'user' and m.message_id is not null
    order by m.created_at desc, m.message_id desc limit $6
)
union
select
-- include: message
from memories m
where m.tenant = $1 and m.user_id = $2 and m.created_at between $3 and $4 and m.role = 'user' and m.message_id is not null
  and m.content ~* $7::text

-- name: keep
-- $2 rows. Returned is what corrects something else than before.
with linked as (
    select * from jsonb_to_recordset($2::jsonb)
        as c (user_id text, correcting_id uuid, sent_at timestamptz, corrected_id uuid)
), former as (
    select correcting_id, corrected_id from corrections
    where tenant = $1 and correcting_id = any(array(select correcting_id from linked))
), kept as (
    insert into corrections (tenant, user_id, correcting_id, sent_at, corrected_id)
    select $1, user_id, correcting_id, sent_at, corrected_id from linked
    order by correcting_id
    on conflict (tenant, correcting_id) do update set sent_at = excluded.sent_at, corrected_id = excluded.corrected_id
    where (corrections.sent_at, corrections.corrected_id) is distinct from (excluded.sent_at, excluded.corrected_id)
)
select correcting_id from linked left join former using (correcting_id)
where linked.corrected_id is distinct from former.corrected_id

-- name: read_again
-- What corrections $2 state, and what corrects them, be it by way of others, is to be read again: the missing stage says so
-- until it is done.
with recursive resting as (
    select unnest($2::uuid[]) as id
    union
    select c.correcting_id from resting r join corrections c on c.tenant = $1 and c.corrected_id = r.id
), locked as (
    select memory_id from stages
    where tenant = $1 and memory_id = any(array(select id from resting)) order by memory_id for update
)
update stages s set extracted = null from locked l where s.tenant = $1 and s.memory_id = l.memory_id
returning s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed,
          s.extracted
