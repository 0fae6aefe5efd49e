-- Listings in an order that changes while they are read.
create table listings (
    tenant text not null,
    listing_id uuid not null,
    chunk integer not null,
    user_id text not null,
    memory_ids uuid[] not null,
    created_at timestamptz not null,
    primary key (tenant, listing_id, chunk)
);
create index listings_of_user on listings (tenant, user_id, created_at);
create index listings_age on listings (tenant, created_at);

do $$
begin
    alter table listings enable row level security;
    alter table listings force row level security;
    create policy tenant_isolation on listings using (tenant = current_tenant()) with check (tenant = current_tenant());
    grant select, insert, update, delete on listings to ricordo_worker;
    if current_setting('server_version_num')::integer >= 180000 then
        perform pg_restore_attribute_stats(
            'schemaname', current_schema()::text, 'relname', 'listings', 'attname', 'tenant', 'inherited', false,
            'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    end if;
end
$$;
