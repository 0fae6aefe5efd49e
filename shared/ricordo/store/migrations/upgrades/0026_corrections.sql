-- Readings that the user has rejected: the words of a message from which a fact is not read again. Of a fact that rested on
-- the user's word alone, a row without a message says that the request was made.
create table rejections (
    tenant text not null,
    user_id text not null,
    request_id text not null,
    ordinal integer not null,
    fact_id uuid not null,
    message_id text not null,
    subject text not null,
    predicate text not null,
    object text not null,
    quote text not null,
    rejected_at timestamptz not null,
    primary key (tenant, request_id, ordinal)
);
create index rejections_of_message on rejections (tenant, message_id);
create index rejections_of_user on rejections (tenant, user_id);

-- Messages that put right what their user said before, and what they correct: null where nothing of it is here. Both follow
-- from the messages that there are, whichever came first.
create table corrections (
    tenant text not null,
    user_id text not null,
    correcting_id uuid not null,
    said_at timestamptz not null,
    corrected_id uuid,
    primary key (tenant, correcting_id)
);
create index corrections_of_user on corrections (tenant, user_id, said_at);
create index corrections_of_corrected on corrections (tenant, corrected_id) where corrected_id is not null;

do $$
declare
    name text;
begin
    foreach name in array array['rejections', 'corrections'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy one_tenant on %I using (tenant = current_tenant()) with check (tenant = current_tenant())',
            name);
        execute format('grant select, insert, update, delete on %I to ricordo_worker', name);
        if current_setting('server_version_num')::integer >= 180000 then
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', name, 'attname', 'tenant', 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
        end if;
    end loop;
end
$$;
