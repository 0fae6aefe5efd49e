-- Of which models a tenant has vectors, and how long these are: what a process asks when it starts, to know in which
-- collections memories may be. The statement that keeps vectors keeps it up; who moves the last memory away from a
-- model strikes it out.
create table embedding_models (
    tenant text not null,
    model text not null,
    dimensions integer not null,
    primary key (tenant, model)
);
alter table embedding_models enable row level security;
alter table embedding_models force row level security;
create policy one_tenant on embedding_models
    using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on embedding_models to ricordo_worker;

-- What there is so far. Whoever owns the tables sees one tenant at a time, too.
do $$
declare
    name text;
begin
    for name in select tenant from tenants loop
        perform set_config('app.tenant', name, true);
        insert into embedding_models (tenant, model, dimensions)
        select name, known.model, one.dimensions
        from (select distinct model from vectors where tenant = name) as known
        cross join lateral (
            select octet_length(v.vector) / 4 as dimensions from vectors v
            where v.tenant = name and v.model = known.model limit 1) as one;
    end loop;
    perform set_config('app.tenant', '', true);
end
$$;

-- As for the other tables: one tenant has all rows, until it is known better.
do $$
begin
    if current_setting('server_version_num')::integer < 180000 then
        return;
    end if;
    perform pg_restore_attribute_stats(
        'schemaname', current_schema()::text, 'relname', 'embedding_models', 'attname', 'tenant', 'inherited', false,
        'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
end
$$;
