-- Documents that messages bring along: where the bytes of each are, and what has become of it. The bytes themselves are
-- in the object store, put there before the row.
create table documents (
    tenant text not null,
    memory_id uuid not null,  -- of the message that brought it, which is the source of its extracts
    user_id text not null,
    name text not null,
    media_type text not null,
    key text not null,
    size bigint not null,
    state text not null default 'waiting' check (state in ('waiting', 'read', 'failed')),
    reason text not null default '',
    extract_ids uuid[] not null default '{}',  -- in the order of the document
    whole boolean not null default true,  -- whether the extracts are all of it
    attempts integer not null default 0,  -- claims whose worker never came back
    claimed_until timestamptz,
    stored_at timestamptz not null,
    settled_at timestamptz,
    primary key (tenant, memory_id)
);
create index documents_waiting on documents (tenant, stored_at, memory_id) where state = 'waiting';
create index documents_of_user on documents (tenant, user_id, key);
alter table documents enable row level security;
alter table documents force row level security;
create policy one_tenant on documents using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on documents to ricordo_worker;

-- As for the first tables: what the planner should believe before the table is analysed for the first time.
do $$
begin
    if current_setting('server_version_num')::integer >= 180000 then
        perform pg_restore_attribute_stats(
            'schemaname', current_schema()::text, 'relname', 'documents', 'attname', 'tenant', 'inherited', false,
            'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    end if;
end
$$;
