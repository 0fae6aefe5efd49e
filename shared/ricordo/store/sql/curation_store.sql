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
