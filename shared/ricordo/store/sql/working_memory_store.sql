-- Working memory of a conversation.

-- name: forgotten
-- $3 conversation, $4 when it is noted. As long as it is being erased; and for ever, of what was noted before.
select scope from tombstones
where tenant = $1 and user_id = $2 and scope in ('user', 'conversation') and (scope = 'user' or key = $3)
  and (erased_at is null or requested_at >= $4)
order by scope desc limit 1

-- name: others
-- $3 conversation, $4 the key that does not count, $5 since when. What an answer concluded is no note of a bot.
select count(*) from notes
where tenant = $1 and user_id = $2 and conversation_id = $3 and key not in ($4, 'last_answer') and set_at > $5

-- name: write
-- $7 whether it is late: a later note stays.
insert into notes as n (tenant, user_id, conversation_id, key, value, set_at) values ($1, $2, $3, $4, $5, $6)
on conflict (tenant, user_id, conversation_id, key) do update set value = excluded.value, set_at = excluded.set_at
where not $7::boolean or n.set_at <= excluded.set_at

-- name: delete
delete from notes where tenant = $1 and user_id = $2 and conversation_id = $3 and key = $4

-- name: empty_notes
delete from notes n using (values ('-infinity', $2::timestamptz), ($3::timestamptz, 'infinity')) as gone (after, before)
where n.tenant = $1 and n.set_at > gone.after and n.set_at < gone.before
