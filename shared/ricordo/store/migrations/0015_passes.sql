-- When a pass of lifecycle came to its end for a tenant, and how far one has come that has not.
create table pass_runs (
    tenant text not null,
    pass text not null,
    completed_at timestamptz,
    began_for timestamptz,  -- the moment that an unfinished run is made for
    reached uuid,
    primary key (tenant, pass)
);
alter table pass_runs enable row level security;
alter table pass_runs force row level security;
create policy one_tenant on pass_runs
    using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on pass_runs to ricordo_worker;

-- As for the other tables: one tenant has all rows, until it is known better.
do $$
begin
    if current_setting('server_version_num')::integer < 180000 then
        return;
    end if;
    perform pg_restore_attribute_stats(
        'schemaname', current_schema()::text, 'relname', 'pass_runs', 'attname', 'tenant', 'inherited', false,
        'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
end
$$;

-- Why the archive has a memory: decay, expiry or retention. Null beside `archived_at`: decay, as once was the only way.
alter table memories add column archive_reason text;

-- What is past its time, which is looked for every minute.
create index memories_expiring on memories (tenant, expires_at)
where expires_at is not null and archived_at is null and not pinned;
