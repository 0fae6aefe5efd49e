-- name: claim
-- $2 now, $3 until when the claim holds, $4 a user or an empty text. Of the next user behind that one, the document that has
-- waited longest; who is at work on another row is passed by.
with next as (
    select memory_id from documents
    where tenant = $1 and state = 'waiting' and user_id > $4 and stored_at <= $2
      and (claimed_until is null or claimed_until <= $2)
    order by user_id, stored_at, memory_id limit 1 for update skip locked
)
update documents d set claimed_until = $3, attempts = d.attempts + 1
where d.tenant = $1 and d.memory_id = (select memory_id from next)
returning d.memory_id, d.user_id, d.name, d.media_type, d.key, d.attempts

-- name: message
select * from memories where tenant = $1 and id = $2

-- name: renew
update documents set claimed_until = $3 where tenant = $1 and memory_id = $2 and state = 'waiting'

-- name: give_back
-- $3 from when on somebody may claim it again. This attempt came back, and does not count.
update documents set claimed_until = $3, attempts = greatest(0, attempts - 1)
where tenant = $1 and memory_id = $2 and state = 'waiting'

-- name: uncount_attempt
-- Whoever has it by now keeps it.
update documents set attempts = greatest(0, attempts - 1)
where tenant = $1 and memory_id = $2 and state = 'waiting'

-- name: settle
-- $3 extracts in order, $4 whether they are all of it, $5 when. What is settled stays.
update documents set state = 'read', extract_ids = $3::uuid[], complete = $4, settled_at = $5, claimed_until = null
where tenant = $1 and memory_id = $2 and state = 'waiting'

-- name: settle_failed
-- $3 why, $4 when.
update documents set state = 'failed', reason = $3, settled_at = $4, claimed_until = null
where tenant = $1 and memory_id = $2 and state = 'waiting'

-- name: is_kept
-- $2 whose, $3 the key.
select exists (select from documents where tenant = $1 and user_id = $2 and key = $3)

-- name: about
-- $2 the memory of a message. With how many of the extracts still lack a stage.
select d.memory_id, d.user_id, d.name, d.media_type, d.state, d.reason, d.extract_ids, d.complete, d.settled_at,
       (select count(*) from stages s
        where s.tenant = $1 and s.memory_id = any(d.extract_ids) and s.pending) as pending
from documents d where d.tenant = $1 and d.memory_id = $2
