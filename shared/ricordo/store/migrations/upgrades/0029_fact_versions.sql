-- The graph is projected after the transaction, by the version of the facts. Nothing is confirmed yet, so that the first
-- projection of a user writes all of the user.
alter table facts add column version bigint not null default 1;
alter table facts alter column version drop default;
create index facts_of_version on facts (tenant, user_id, version, id);

create table fact_versions (
    tenant text not null,
    user_id text not null,
    version bigint not null,
    projected bigint not null default 0,
    primary key (tenant, user_id)
);
create index fact_versions_behind on fact_versions (tenant, user_id) where version > projected;

create table gone_facts (
    tenant text not null,
    id uuid not null,
    user_id text not null,
    version bigint not null,
    primary key (tenant, id)
);
create index gone_facts_of_user on gone_facts (tenant, user_id, version);

do $$
declare
    name text;
begin
    foreach name in array array['fact_versions', 'gone_facts'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy tenant_isolation on %I using (tenant = current_tenant()) '
            'with check (tenant = current_tenant())', name);
        execute format('grant select, insert, update, delete on %I to ricordo_worker', name);
        if current_setting('server_version_num')::integer >= 180000 then
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', name, 'attname', 'tenant', 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
        end if;
    end loop;
end
$$;

alter table facts no force row level security;
alter table fact_versions no force row level security;
insert into fact_versions (tenant, user_id, version) select distinct tenant, user_id, 1 from facts;
alter table facts force row level security;
alter table fact_versions force row level security;
