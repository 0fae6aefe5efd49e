-- Requests of users, by their ids.

-- name: claim
-- $2 request, $3 user, $4 what it asks, $5 now. The first of its id, which no fact was settled under; who comes at the same
-- time waits for it.
insert into requests (tenant, id, user_id, request_hash, handled_at)
select $1, $2, $3, $4, $5
where not exists (select from fact_evidence where tenant = $1 and message_id = $2)
on conflict do nothing
returning id

-- name: known
-- $2 request, $3 user.
select request_hash, outcome, handled_at from requests where tenant = $1 and id = $2 and user_id is not distinct from $3

-- name: keep_outcome
-- $2 request, $3 what came of it.
update requests set outcome = $3 where tenant = $1 and id = $2

-- name: drop_old
-- $2 before when, $3 how many: what somebody else holds is left to the next time.
delete from requests
where tenant = $1 and ctid = any(array(
    select ctid from requests where tenant = $1 and handled_at < $2 order by handled_at limit $3 for update skip locked))

-- name: record
-- $2 what it is about. A request without an outcome is known by its id, and by that together with what it says ($3): both are
-- new, or neither is, unless it says something else than before.
insert into inbox (tenant, consumer, event_id, handled_at)
select $1, $2, one, now() from unnest($3::uuid[]) as one
on conflict do nothing returning event_id
