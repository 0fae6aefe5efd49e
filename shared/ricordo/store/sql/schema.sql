-- Tombstones of all tenants, for backup and restore by the owner of the database, who may read all rows.

-- name: is_there
-- $1 the name of a table
select to_regclass($1) is not null

-- name: schema
select coalesce(max(version), 0) from schema_migrations

-- name: all
-- Of a schema of any version: before 27 the column is `buried_at`.
select tenant, scope, user_id, key,
       coalesce(to_jsonb(t) ->> 'requested_at', to_jsonb(t) ->> 'buried_at')::timestamptz as requested_at
from tombstones t order by tenant, requested_at, scope, user_id, key

-- name: carry
-- $1 tenants, $2 scopes, $3 users, $4 keys, $5 until when. Tombstones that are as late stay; of the others the
-- erasure begins again. Scope `erased` needs no erasure.
with given as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
        as g (tenant, scope, user_id, key, requested_at)
), known as (
    insert into tenants (tenant) select distinct tenant from given order by tenant on conflict do nothing
), carried as (
    insert into tombstones as t (tenant, scope, user_id, key, requested_at, erased_at)
    select tenant, scope, user_id, key, max(requested_at), case when scope = 'erased' then now() end from given
    group by tenant, scope, user_id, key order by tenant, scope, user_id, key
    on conflict (tenant, scope, user_id, key) do update
    set requested_at = excluded.requested_at, erased_at = excluded.erased_at, request_count = t.request_count + 1,
        erased_counts = case when t.erased_at is null then t.erased_counts else '{}' end
    where t.requested_at < excluded.requested_at
    returning scope
)
select count(*) from carried where scope <> 'erased'
