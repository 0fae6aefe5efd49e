-- name: claim
-- The first request of its id ($2), which no fact was settled under; who comes at the same time waits for it.
insert into requests (tenant, id, user_id, asked, handled_at)
select $1, $2, $3, $4, $5
where not exists (select from fact_evidence where tenant = $1 and message_id = $2)
on conflict do nothing
returning id

-- name: kept_request
select asked, outcome from requests where tenant = $1 and id = $2

-- name: keep_outcome
update requests set outcome = $3 where tenant = $1 and id = $2

-- name: pin
-- $2 user, $3 memory id, $4 whether it is pinned. Pinned, it comes back from the archive. Returned is how it was.
with held as (
    select id, pinned, archived_at is not null as archived from memories
    where tenant = $1 and id = $3 and user_id is not distinct from $2 for update
), written as (
    update memories m
    set pinned = $4, archived_at = case when $4 then null else m.archived_at end,
        archive_reason = case when $4 then null else m.archive_reason end,
        moved_at = case when $4 and h.archived then now() else m.moved_at end
    from held h where m.tenant = $1 and m.id = h.id and (h.pinned <> $4 or $4 and h.archived)
)
select pinned, archived from held

-- name: verify
-- As `pin`; returned is whether it was verified.
with held as (
    select id, verified from memories where tenant = $1 and id = $3 and user_id is not distinct from $2 for update
), written as (
    update memories m set verified = $4 from held h where m.tenant = $1 and m.id = h.id and h.verified <> $4
)
select verified from held

-- name: empty_requests
delete from requests where tenant = $1 and handled_at < $2
