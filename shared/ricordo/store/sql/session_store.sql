-- name: reread
-- $2 a memory whose words have changed, $3 now: its session has to be summed up anew, as soon as it is over.
insert into unsummarized_conversations as u (tenant, user_id, conversation_id, since, since_message_id, stored_at, closed)
select $1, m.user_id, m.conversation_id, m.created_at, m.message_id, $3, true
from memories m where m.tenant = $1 and m.id = $2 and m.message_id is not null
on conflict (tenant, user_id, conversation_id) do update
set since = least(u.since, excluded.since),
    since_message_id = case when (excluded.since, excluded.since_message_id) < (u.since, u.since_message_id)
                         then excluded.since_message_id else u.since_message_id end,
    closed = true, revision = u.revision + 1

-- name: end
-- $2 user, $3 conversation, $4 when it ended, $5 now. What lies ahead has not ended yet, unless what was said does too. An
-- end that comes late may cut what was summed up as one session: it is looked at again.
with ended as (
    select least($4, greatest($5, (
        select max(created_at) from memories
        where tenant = $1 and conversation_id = $3 and user_id is not distinct from $2 and message_id is not null
    ))) as at
    where not is_forgotten($1, $2, $3, '', $4)
), noted as (
    insert into session_ends (tenant, user_id, conversation_id, ended_at) select $1, $2, $3, at from ended
    on conflict do nothing
    returning ended_at
)
insert into unsummarized_conversations as u (tenant, user_id, conversation_id, since, stored_at, closed)
select $1, $2, $3, ended_at, $5, true from noted
on conflict (tenant, user_id, conversation_id) do update
set since = least(u.since, excluded.since), closed = true, revision = u.revision + 1,
    since_message_id = case when excluded.since <= u.since then '' else u.since_message_id end

-- name: due
-- $2 before when the last of it came in, $3 user or null, $4 how many. Not as long as a message of the conversation waits
-- for its feeling and weight; one that became a dead letter may never have them. However many wait, they hide none.
with waits as materialized (
    select distinct s.user_id, s.conversation_id
    from stages s
    where s.tenant = $1 and s.pending and s.message_id is not null and s.enriched is null
      and ($3::text is null or s.user_id = $3)
      and not exists (
          select from dead_letters d
          where d.tenant = $1 and d.message_id = s.message_id and d.consumer in ('encode', 'encode-bulk', 'enrichment', 'enrichment-bulk'))
), closed as (
    select u.* from unsummarized_conversations u
    where u.tenant = $1 and u.closed and ($3::text is null or u.user_id = $3)
      and not exists (select from waits w where w.user_id = u.user_id and w.conversation_id = u.conversation_id)
    order by u.stored_at limit $4
), silent as (
    select u.* from unsummarized_conversations u
    where u.tenant = $1 and u.stored_at <= $2 and ($3::text is null or u.user_id = $3)
      and not exists (select from waits w where w.user_id = u.user_id and w.conversation_id = u.conversation_id)
    order by u.stored_at limit $4
)
select u.user_id, u.conversation_id, u.since, u.since_message_id, u.stored_at, u.revision
from (select * from closed union select * from silent) as u
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
select true from unsummarized_conversations
where tenant = $1 and user_id = $2 and conversation_id = $3 and revision = $4 for update

-- name: cover
delete from unsummarized_conversations where tenant = $1 and user_id = $2 and conversation_id = $3

-- name: leave
-- $4 and $5 position of the first message that is not covered; $6 whether its session is over, as is known already.
update unsummarized_conversations set since = $4, since_message_id = $5, closed = $6 or exists (
    select from session_ends e
    where e.tenant = $1 and e.user_id = $2 and e.conversation_id = $3 and e.ended_at >= $4)
where tenant = $1 and user_id = $2 and conversation_id = $3
