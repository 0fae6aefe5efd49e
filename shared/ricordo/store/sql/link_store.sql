-- name: lock
-- $2 user ids, sorted, so that whoever needs several takes them in the same order. Until the end of the transaction
-- nobody else changes links of theirs, nor finishes to erase a memory of theirs.
select pg_advisory_xact_lock(hashtextextended($1 || '/' || user_id, 2)) from unnest($2::text[]) as user_id

-- name: versions
select user_id, generation, number from link_versions where tenant = $1 and user_id = any($2::text[])

-- name: linkable
-- $2 user ids, $3 model, $4 memory ids. A vector of another text than the memory's present one does not count. What
-- lifecycle has made of others is bound to these already.
select m.id as memory_id, m.user_id, m.content, m.language, m.role, m.created_at as sent_at, v.vector,
       m.kind = 'extract' or m.stated_kind is not null or m.stated_importance is not null as stated,
       n.model as linked_model, n.vector as linked_vector
from memories m
join vectors v on v.tenant = $1 and v.memory_id = m.id and v.model = $3
    and v.text_hash = sha256(convert_to(m.content, 'UTF8'))
left join neighbours n on n.tenant = $1 and n.memory_id = m.id
where m.tenant = $1 and m.id = any($4::uuid[]) and m.user_id = any($2::text[]) and m.derived_by <> 'lifecycle'

-- name: members
-- $2 user, $3 model, $4 the change after which to look
select memory_id, (extract(epoch from sent_at) * 1000000)::bigint as sent_at, vector, nearest
from neighbours where tenant = $1 and user_id = $2 and model = $3 and number > $4

-- name: advance
-- $2 user ids, $3 those of them whom a memory has left.
insert into link_versions (tenant, user_id, number)
select $1, user_id, 1 from unnest($2::text[]) as user_id order by user_id
on conflict (tenant, user_id) do update
set number = link_versions.number + 1,
    generation = case when excluded.user_id = any($3::text[]) then gen_random_uuid() else link_versions.generation end
returning user_id, generation, number

-- name: leave
delete from neighbours where tenant = $1 and memory_id = any($2::uuid[])

-- name: relate
-- $2 memory ids with whom they are related to. First of all that is written, and rows are locked in the order of their
-- ids, which is everybody's order.
with locked as (
    select m.id, t.related
    from jsonb_to_recordset($2::jsonb) as t (memory_id uuid, related uuid[])
    join memories m on m.tenant = $1 and m.id = t.memory_id
    where m.related_ids <> t.related
    order by m.id for update of m
)
update memories m set related_ids = l.related from locked l where m.tenant = $1 and m.id = l.id

-- name: join
-- $2 rows, $3 memory ids in the same order, $4 their vectors.
insert into neighbours (tenant, memory_id, user_id, model, number, sent_at, vector, nearest)
select $1, j.memory_id, j.user_id, j.model, j.number, m.created_at, v.vector, j.nearest
from jsonb_to_recordset($2::jsonb) as j (memory_id uuid, user_id text, model text, number bigint, nearest uuid[])
join unnest($3::uuid[], $4::bytea[]) as v (memory_id, vector) on v.memory_id = j.memory_id
join memories m on m.tenant = $1 and m.id = j.memory_id
order by j.memory_id
on conflict (tenant, memory_id) do update
set model = excluded.model, number = excluded.number, vector = excluded.vector, nearest = excluded.nearest

-- name: rearrange
-- $2 rows.
update neighbours n set number = r.number, nearest = r.nearest
from jsonb_to_recordset($2::jsonb) as r (memory_id uuid, number bigint, nearest uuid[])
where n.tenant = $1 and n.memory_id = r.memory_id

-- Who corrects what. Everybody who writes it holds the lock of links.sql of its user.

-- fragment: message
    m.id, m.user_id, m.message_id, m.conversation_id, m.content, m.created_at, m.speaker

-- name: messages
-- $2 user ids, $3 memory ids: messages of users.
select
-- include: message
from memories m
where m.tenant = $1 and m.id = any($3::uuid[]) and m.user_id = any($2::text[]) and m.role = 'user' and m.message_id is not null

-- name: drop
-- $2 memory ids that correct nothing any more. Returned is what did correct something.
with gone as (
    delete from corrections where tenant = $1 and correcting_id = any($2::uuid[]) returning correcting_id, corrected_id
)
select correcting_id from gone where corrected_id is not null

-- name: later
-- What corrects messages of the users $2 that were sent within [$3, $4].
select c.corrected_id,
-- include: message
from corrections c join memories m on m.tenant = $1 and m.id = c.correcting_id
where c.tenant = $1 and c.user_id = any($2::text[]) and c.sent_at between $3 and $4

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
