-- name: pinned
-- $2 user, $3 memory id, $4 whether it is pinned. Pinned, it comes back from the archive. Returned is how it was.
with locked as (
    select id, pinned, archived_at is not null as archived from memories
    where tenant = $1 and id = $3 and user_id is not distinct from $2 for update
), written as (
    update memories m
    set pinned = $4, archived_at = case when $4 then null else m.archived_at end,
        archive_reason = case when $4 then null else m.archive_reason end,
        unreported_move_at = case when $4 and h.archived then now() else m.unreported_move_at end
    from locked h where m.tenant = $1 and m.id = h.id and (h.pinned <> $4 or $4 and h.archived)
)
select pinned, archived from locked

-- name: verified
-- As `pinned`; returned is whether it was verified.
with locked as (
    select id, verified from memories where tenant = $1 and id = $3 and user_id is not distinct from $2 for update
), written as (
    update memories m set verified = $4 from locked h where m.tenant = $1 and m.id = h.id and h.verified <> $4
)
select verified from locked

-- name: edit
-- $2 user, $3 memory id, $4 kind, $5 importance and $6 tags or null, $8 whether $7 is to be the expiry, $9 now. As what a bot
-- states of a message: it overrides what is derived, and use adds to it. Returned are the columns that differ.
with locked as (
    select m.*, $8::boolean and m.archive_reason = 'expiry' and coalesce($7::timestamptz > $9::timestamptz, true) as comes_back
    from memories m where m.tenant = $1 and m.id = $3 and m.user_id is not distinct from $2 for update
), edited as (
    update memories m
    set kind = coalesce($4::text, m.kind), stated_kind = coalesce($4, m.stated_kind),
        importance = case when $5::float8 is null then m.importance else importance_after_uses($5, 0, m.access_count) end,
        importance_beyond = case when $5 is null then m.importance_beyond else beyond_after_uses($5, 0, m.access_count) end,
        stated_importance = coalesce($5, m.stated_importance),
        informative = case when $4 is null and $5 is null then m.informative else 1 end,
        tags = coalesce($6::text[], m.tags), expires_at = case when $8 then $7 else m.expires_at end,
        archived_at = case when l.comes_back then null else m.archived_at end,
        archive_reason = case when l.comes_back then null else m.archive_reason end,
        unreported_move_at = case when l.comes_back then $9 else m.unreported_move_at end
    from locked l where m.tenant = $1 and m.id = l.id
    returning m.*
)
select e.message_id is null as is_derived, array_remove(array[
    case when e.kind <> l.kind then 'kind' end, case when e.importance <> l.importance then 'importance' end,
    case when e.informative <> l.informative then 'informative' end, case when e.tags <> l.tags then 'tags' end,
    case when e.expires_at is distinct from l.expires_at then 'expires_at' end,
    case when l.comes_back then 'archived_at' end], null) as fields
from edited e join locked l on l.id = e.id

-- name: with_other_text
-- A memory of the user ($2, $3), if it does not say $4.
select * from memories
where tenant = $1 and id = $3 and user_id is not distinct from $2 and content <> $4

-- name: lock_memory
-- $2 user, $3 memory id. Held against everybody, so that who has read the former words writes nothing of them after this.
select id, content, source = 'user_correction' and confidence = 1 and verified as corrected from memories
where tenant = $1 and id = $3 and user_id is not distinct from $2 for update

-- name: correct
-- $2 memory id, $3 what it says, $4 the language or an empty text. What lifecycle derived, of memories that it has made,
-- it derived from others: that stays. What was derived from the former words counts as nobody's any more, so that rules
-- alone may derive what a language model had.
update memories
set content = $3, language = coalesce(nullif($4, ''), language), source = 'user_correction', confidence = 1, verified = true,
    title = case when derived_by = 'lifecycle' then title else '' end,
    summary = case when derived_by = 'lifecycle' then summary else '' end,
    derived_by = case when derived_by = 'lifecycle' then derived_by else '' end,
    rated_by = case when rated_by = 'lifecycle' then rated_by else '' end
where tenant = $1 and id = $2

-- name: confirm
-- It says so already, and the user says so too.
update memories set source = 'user_correction', confidence = 1, verified = true where tenant = $1 and id = $2

-- name: unencode
delete from vectors where tenant = $1 and memory_id = $2

-- name: reset_stages
-- All that follows from the words of a memory; but no facts are read in one that no message is behind. What was given up
-- of the former words keeps nobody from the new ones.
with begun as (
    update stages
    set encoded = null, enriched = null, indexed = null, extracted = case when message_id is null then extracted end
    where tenant = $1 and memory_id = $2
    returning message_id
), dropped as (
    delete from dead_letters d using begun b
    where d.tenant = $1 and d.message_id = b.message_id and d.consumer not in ('ingest', 'ingest-bulk')
)
delete from dead_letters where tenant = $1 and memory_id = $2

-- name: stages
select memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted
from stages where tenant = $1 and memory_id = $2
