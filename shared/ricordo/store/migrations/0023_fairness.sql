-- Fairness: what one user says in a flood waits until workers have room for it, so that nobody waits behind it.
alter table stages add column deferred boolean not null default false, add column admitted_at timestamptz;
create index stages_deferred on stages (tenant, user_id, ingested) where deferred;

-- Quotas: how many messages of a user are kept, in all and since a day began. A row is there from when somebody asked on,
-- and goes with each message that is erased: who asks next counts anew.
create table tallies (
    tenant text not null,
    user_id text not null,
    kept bigint not null,
    day_began timestamptz not null,
    kept_since bigint not null,
    primary key (tenant, user_id)
);
alter table tallies enable row level security;
alter table tallies force row level security;
create policy one_tenant on tallies using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on tallies to ricordo_worker;

do $$
begin
    if current_setting('server_version_num')::integer >= 180000 then
        perform pg_restore_attribute_stats(
            'schemaname', current_schema()::text, 'relname', 'tallies', 'attname', 'tenant', 'inherited', false,
            'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    end if;
end
$$;
