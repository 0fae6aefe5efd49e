-- How much has come in since the last reflection: the importance, from 1 to 10, of what each user said. It grows in the
-- transaction in which a message is enriched for the first time, and shrinks in the one that reflects.
create table accumulated (
    tenant text not null,
    user_id text not null,
    importance double precision not null,
    primary key (tenant, user_id)
) with (fillfactor = 70);
create index accumulated_due on accumulated (tenant, importance);

-- The memory in which each insight about a user stands now. `about` is a hash of what it says of whom, without the words.
create table insights (
    tenant text not null,
    user_id text not null,
    about uuid not null,
    memory_id uuid not null,
    primary key (tenant, user_id, about)
);

do $$
declare
    name text;
begin
    foreach name in array array['accumulated', 'insights'] loop
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
