-- name: lock
-- $2 what to lock: conversations and users, as `record_messages` does.
select pg_advisory_xact_lock(hashtextextended($1 || '/' || name, 0)) from unnest($2::text[]) as name

-- name: known_tenant
insert into tenants (tenant) values ($1) on conflict do nothing
