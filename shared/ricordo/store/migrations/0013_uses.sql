-- What is known of one memory in one recall: whether the event of the recall was handled, and what was said of it last. A
-- use that counts has added one access, 0.05 of reinforcement and 0.02 of importance, and so much is taken back with it.
create table uses (
    tenant text not null,
    memory_id uuid not null,
    recall_id uuid not null,
    accessed_at timestamptz,
    verdict text check (verdict in ('used', 'irrelevant')),
    noted_at timestamptz not null,
    primary key (tenant, memory_id, recall_id),
    foreign key (tenant, memory_id) references memories (tenant, id) on delete cascade
);
create index uses_age on uses (tenant, noted_at);

-- What use would have added to the importance above its ceiling of 0.95: taken back before the importance itself is.
alter table memories add column importance_beyond double precision not null default 0;

-- The requests that bots may repeat: what was asked (a hash), and what came of it (counts and ids).
create table requests (
    tenant text not null,
    id text not null,
    user_id text not null,
    asked bytea not null,
    outcome jsonb not null default '{}',
    handled_at timestamptz not null,
    primary key (tenant, id)
);
create index requests_of_user on requests (tenant, user_id);
create index requests_age on requests (tenant, handled_at);

do $$
declare
    name text;
begin
    foreach name in array array['uses', 'requests'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy one_tenant on %I using (tenant = current_tenant()) with check (tenant = current_tenant())',
            name);
        execute format('grant select, insert, update, delete on %I to ricordo_worker', name);
        -- As for the other tables: one tenant has all rows, until it is known better.
        if current_setting('server_version_num')::integer >= 180000 then
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', name, 'attname', 'tenant', 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
        end if;
    end loop;
end
$$;
