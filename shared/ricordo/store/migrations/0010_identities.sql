-- Evidence keeps whom it speaks of in the words that were said; the keys beside them say who that is. What ties somebody
-- to the user tells two of one name apart, and finds who "my brother" is.
alter table fact_evidence add column subject_tie text not null default '', add column object_tie text not null default '';

-- By which other names an entity goes.
create table entity_names (
    tenant text not null,
    user_id text not null,
    name_key text not null,
    key text not null,
    primary key (tenant, user_id, name_key, key)
);
create index entity_names_of_entity on entity_names (tenant, user_id, key);

-- That two names are one entity, or two: where rules say nothing. Null as long as it is open.
create table identity_decisions (
    tenant text not null,
    user_id text not null,
    first text not null,
    second text not null,
    same boolean,
    decided_by text not null default '',
    decided_at timestamptz not null default now(),
    primary key (tenant, user_id, first, second)
);

create index identity_decisions_open on identity_decisions (tenant, decided_at) where same is null and decided_by = '';

do $$
declare
    name text;
begin
    foreach name in array array['entity_names', 'identity_decisions'] loop
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
