-- name: count
-- $2 user or null.
select count(*) from memories where tenant = $1 and ($2::text is null or user_id = $2)
