-- name: reopen
-- $2 the messages of a batch as one JSON array, $3 which of them are new, $4 when they came in. Their users are locked.
with said as (
    select m.user_id, m.conversation_id, min(m.said_at) as since
    from jsonb_to_recordset($2::jsonb) as m (
        n integer, user_id text, conversation_id text, said_at timestamptz, memorable boolean)
    where m.n = any($3::integer[]) and m.memorable
    group by m.user_id, m.conversation_id
)
insert into unsummarized as u (tenant, user_id, conversation_id, since, stored_at, closed)
select $1, s.user_id, s.conversation_id, s.since, $4, exists (
           select from session_ends e
           where e.tenant = $1 and e.user_id = s.user_id and e.conversation_id = s.conversation_id
             and e.ended_at >= s.since)
from said s order by s.user_id, s.conversation_id
on conflict (tenant, user_id, conversation_id) do update
set since = least(u.since, excluded.since), stored_at = greatest(u.stored_at, excluded.stored_at),
    closed = u.closed or excluded.closed, changes = u.changes + 1

-- name: end
-- $2 user, $3 conversation, $4 when it ended, $5 now. What lies ahead has not ended yet, unless what was said does too. An
-- end that comes late may cut what was summed up as one session: it is looked at again.
with ended as (
    select least($4, greatest($5, (
        select max(created_at) from memories
        where tenant = $1 and conversation_id = $3 and user_id is not distinct from $2 and message_id is not null
    ))) as at
    where not exists (
        select from tombstones t where t.tenant = $1 and t.user_id = $2
        and (t.scope = 'user' or t.scope = 'conversation' and t.key = $3))
), noted as (
    insert into session_ends (tenant, user_id, conversation_id, ended_at) select $1, $2, $3, at from ended
    on conflict do nothing
    returning ended_at
)
insert into unsummarized as u (tenant, user_id, conversation_id, since, stored_at, closed)
select $1, $2, $3, ended_at, $5, true from noted
on conflict (tenant, user_id, conversation_id) do update
set since = least(u.since, excluded.since), closed = true, changes = u.changes + 1

-- name: due
-- $2 before when the last of it came in, $3 user or null, $4 how many, $5 before when messages that lack a stage are
-- waited for no longer.
select u.user_id, u.conversation_id, u.since, u.stored_at, u.changes
from (
    (select * from unsummarized where tenant = $1 and closed and ($3::text is null or user_id = $3)
     order by stored_at limit $4)
    union
    (select * from unsummarized where tenant = $1 and stored_at <= $2 and ($3::text is null or user_id = $3)
     order by stored_at limit $4)
) as u
where u.stored_at < $5 or not exists (
    select from stages s
    where s.tenant = $1 and s.user_id = u.user_id and s.pending and s.conversation_id = u.conversation_id
      and s.message_id is not null)
order by u.stored_at, u.user_id, u.conversation_id limit $4

-- name: ends
select ended_at from session_ends
where tenant = $1 and user_id = $2 and conversation_id = $3 order by ended_at

-- name: before
-- $2 user, $3 conversation, $4 and $5 the instant and message before which to look, $6 how many: the latest first.
select created_at, message_id from memories
where tenant = $1 and conversation_id = $3 and user_id is not distinct from $2 and message_id is not null
  and (created_at, message_id) < ($4, $5::text)
order by created_at desc, message_id desc limit $6

-- name: turns
-- $2 user, $3 conversation, $4 and $5 the instant and message from which on to read, $6 how many, $7 model.
select m.*, v.vector
from (
    select * from memories
    where tenant = $1 and conversation_id = $3 and user_id is not distinct from $2 and message_id is not null
      and (created_at, message_id) >= ($4, $5::text)
    order by created_at, message_id limit $6) as m
left join vectors v on v.tenant = $1 and v.memory_id = m.id and v.model = $7
order by m.created_at, m.message_id

-- name: summaries
-- $2 user, $3 conversation, $4 from when on.
select * from memories
where tenant = $1 and conversation_id = $3 and user_id is not distinct from $2 and kind = 'summary'
  and message_id is null and created_at >= $4
order by created_at, id

-- name: unchanged
-- $2 user, $3 conversation, $4 how often it had changed when it was read.
select true from unsummarized
where tenant = $1 and user_id = $2 and conversation_id = $3 and changes = $4 for update

-- name: cover
delete from unsummarized where tenant = $1 and user_id = $2 and conversation_id = $3

-- name: leave
-- $4 since when something is not covered.
update unsummarized set since = $4, closed = exists (
    select from session_ends e
    where e.tenant = $1 and e.user_id = $2 and e.conversation_id = $3 and e.ended_at >= $4)
where tenant = $1 and user_id = $2 and conversation_id = $3
