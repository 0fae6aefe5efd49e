-- Who corrects what. Everybody who writes it holds the lock of links.sql of its user.

-- fragment: said
    m.id, m.user_id, m.message_id, m.conversation_id, m.content, m.created_at, m.speaker

-- name: said
-- $2 user ids, $3 memory ids: what people have said.
select
-- include: said
from memories m
where m.tenant = $1 and m.id = any($3::uuid[]) and m.user_id = any($2::text[]) and m.role = 'user' and m.message_id is not null

-- name: drop
-- $2 memory ids that correct nothing any more. Returned is what did correct something.
with gone as (
    delete from corrections where tenant = $1 and correcting_id = any($2::uuid[]) returning correcting_id, corrected_id
)
select correcting_id from gone where corrected_id is not null

-- name: later
-- What corrects messages of the users $2 that were said within [$3, $4].
select c.corrected_id,
-- include: said
from corrections c join memories m on m.tenant = $1 and m.id = c.correcting_id
where c.tenant = $1 and c.user_id = any($2::text[]) and c.said_at between $3 and $4

-- name: behind
-- $2 user. What corrects one of the memories $3, or was said in one of the conversations $4.
select
-- include: said
from corrections c join memories m on m.tenant = $1 and m.id = c.correcting_id
where c.tenant = $1 and c.user_id = $2 and (c.corrected_id = any($3::uuid[]) or m.conversation_id = any($4::text[]))

-- name: earlier
-- What a message may correct: said by the user $2 within [$3, $4], the last $6 of the conversation $5 among it, and all
-- that looks like the pattern $7 (null for none).
(
    select
-- include: said
    from memories m
    where m.tenant = $1 and m.user_id = $2 and m.conversation_id = $5 and m.created_at between $3 and $4
      and m.role = 'user' and m.message_id is not null
    order by m.created_at desc, m.message_id desc limit $6
)
union
select
-- include: said
from memories m
where m.tenant = $1 and m.user_id = $2 and m.created_at between $3 and $4 and m.role = 'user' and m.message_id is not null
  and m.content ~* $7::text

-- name: keep
-- $2 rows. Returned is what corrects something else than before.
with linked as (
    select * from jsonb_to_recordset($2::jsonb)
        as c (user_id text, correcting_id uuid, said_at timestamptz, corrected_id uuid)
), former as (
    select correcting_id, corrected_id from corrections
    where tenant = $1 and correcting_id = any(array(select correcting_id from linked))
), kept as (
    insert into corrections (tenant, user_id, correcting_id, said_at, corrected_id)
    select $1, user_id, correcting_id, said_at, corrected_id from linked
    order by correcting_id
    on conflict (tenant, correcting_id) do update set said_at = excluded.said_at, corrected_id = excluded.corrected_id
    where (corrections.said_at, corrections.corrected_id) is distinct from (excluded.said_at, excluded.corrected_id)
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
