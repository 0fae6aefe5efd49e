-- name: record
-- $2 the messages of a batch and $3 their documents, each as one JSON array; $4 locks, $5 instant, $6 how many of a user may
-- be kept, $7 how many a day, $8 the start of the day; null for any number.
select * from record_messages($1, $2, $3, $4, $5, $6, $7, $8)

-- name: lock
-- $2 what to lock: conversations and users, as `record_messages` does.
select pg_advisory_xact_lock(hashtextextended($1 || '/' || name, 0)) from unnest($2::text[]) as name

-- name: known_tenant
insert into tenants (tenant) values ($1) on conflict do nothing
