-- The truth. Vectors and the graph elsewhere are projections of these tables and can be rebuilt from them.
-- Every table but `tenants` carries its tenant and is bound by row-level security (at the end of this file).

create table tenants (
    tenant text primary key,
    first_seen timestamptz not null default now()
);

-- What was said, as it was said (recalled spans removed). `digest` tells a repeat from a conflict of ids.
create table history (
    tenant text not null,
    message_id text not null,
    memory_id uuid not null,
    user_id text not null,
    conversation_id text not null,
    role text not null,
    speaker text not null,
    content text not null,
    digest bytea not null,
    said_at timestamptz not null,
    timezone text,
    language text,
    metadata jsonb not null,
    stored_at timestamptz not null,
    primary key (tenant, message_id)
);
create index history_of_user on history (tenant, user_id, said_at, message_id);
create index history_of_conversation on history (tenant, conversation_id, said_at, message_id);
create index history_zones on history (tenant, user_id, said_at, message_id) where timezone is not null;

create table memories (
    tenant text not null,
    id uuid not null,
    user_id text not null,
    message_id text,
    conversation_id text not null,
    type text not null default 'episodic',
    kind text not null default 'message',
    title text not null default '',
    content text not null,
    summary text not null default '',
    token_count integer not null default 0,
    language text not null default '',
    role text not null,
    speaker text not null default '',
    created_at timestamptz not null,
    timezone text not null default 'UTC',
    local_date date,
    time_of_day text not null default '',
    day_of_week text not null default '',
    event_start timestamptz,
    event_end timestamptz,
    expires_at timestamptz,
    participants text[] not null default '{}',
    topics text[] not null default '{}',
    location text not null default '',
    preceding_id uuid,
    following_id uuid,
    valence double precision not null default 0,
    arousal double precision not null default 0,
    dominance double precision not null default 0.5,
    primary_emotion text not null default 'neutral',
    emotional_keywords text[] not null default '{}',
    trigger text not null default '',
    importance double precision not null default 0.5,
    access_count integer not null default 0,
    last_accessed timestamptz,
    reinforcement double precision not null default 0,
    decay_factor double precision not null default 1,
    pinned boolean not null default false,
    trust double precision not null default 0,
    related_ids uuid[] not null default '{}',
    related_entities text[] not null default '{}',
    related_topics text[] not null default '{}',
    source_ids uuid[] not null default '{}',
    questions_addressed text[] not null default '{}',
    key_topics jsonb not null default '[]',
    source text not null default 'conversation',
    confidence double precision not null default 1,
    verified boolean not null default false,
    tags text[] not null default '{}',
    compressed boolean not null default false,
    archived_at timestamptz,
    stored_at timestamptz not null,
    -- what the bot itself said, which wins over what is inferred
    stated_kind text,
    stated_importance double precision,
    stated_participants text[] not null default '{}',
    -- which version of enrichment derived the columns above
    derived_by text not null default '',
    primary key (tenant, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index memories_of_user on memories (tenant, user_id, created_at, id);
create index memories_of_conversation on memories (tenant, conversation_id, created_at, message_id);

-- A vector per memory and model: float32, little endian, unit norm. A text is encoded once.
create table vectors (
    tenant text not null,
    memory_id uuid not null,
    model text not null,
    text_hash bytea not null,
    vector bytea not null,
    primary key (tenant, memory_id, model)
) with (toast_tuple_target = 8160);
-- In its row as long as it fits a page (some 2,000 dimensions), never compressed: floats do not shrink.
alter table vectors alter column vector set storage external;

create table stages (
    tenant text not null,
    memory_id uuid not null,
    message_id text not null,
    user_id text not null,
    conversation_id text not null,
    ingested timestamptz not null,
    encoded timestamptz,
    enriched timestamptz,
    indexed timestamptz,
    extracted timestamptz,
    -- A column of its own, so that the index below is touched by the last stage only: the others stay in their page.
    pending boolean not null generated always as (
        encoded is null or enriched is null or indexed is null or extracted is null) stored,
    primary key (tenant, memory_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- small: a row leaves it as soon as its message is remembered
create index stages_pending on stages (tenant, user_id, ingested) where pending;

-- What a message says, and what follows from all that was said: facts are a fold over evidence.
create table fact_evidence (
    tenant text not null,
    user_id text not null,
    message_id text not null,
    ordinal integer not null,
    said_at timestamptz not null,
    subject text not null,
    subject_key text not null,
    predicate text not null,
    object text not null,
    object_key text not null,
    polarity text not null,
    kind text not null,
    position integer not null,
    valid_from timestamptz,
    valid_to timestamptz,
    quote text not null default '',
    primary key (tenant, message_id, ordinal)
);
create index fact_evidence_of_subject on fact_evidence (tenant, user_id, subject_key, predicate);
create index fact_evidence_of_object on fact_evidence (tenant, user_id, object_key);

create table facts (
    tenant text not null,
    id uuid not null,
    user_id text not null,
    subject text not null,
    subject_key text not null,
    predicate text not null,
    object text not null,
    object_key text not null,
    confidence integer not null,
    first_seen timestamptz not null,
    last_reinforced timestamptz not null,
    valid_from timestamptz,
    valid_to timestamptz,
    contradictions integer not null default 0,
    disputed boolean not null default false,
    verified boolean not null default false,
    message_ids text[] not null,
    primary key (tenant, id)
);
create index facts_of_user on facts (tenant, user_id, confidence desc, last_reinforced desc);
create index facts_of_subject on facts (tenant, user_id, subject_key, predicate);
create index facts_of_object on facts (tenant, user_id, object_key);

create table entities (
    tenant text not null,
    user_id text not null,
    key text not null,
    name text not null,
    aliases text[] not null,
    mentions integer not null,
    primary key (tenant, user_id, key)
);

-- What was asked to be forgotten: stands before the erasure, and every writer checks it.
create table tombstones (
    tenant text not null,
    scope text not null check (scope in ('message', 'conversation', 'user')),
    key text not null,
    user_id text not null,
    buried_at timestamptz not null default now(),
    primary key (tenant, scope, user_id, key)
);

-- Events whose effects are not idempotent by nature, recorded in the transaction of their effect.
create table inbox (
    tenant text not null,
    consumer text not null,
    event_id uuid not null,
    handled_at timestamptz not null,
    primary key (tenant, consumer, event_id)
);
create index inbox_age on inbox (handled_at);

create table dead_letters (
    tenant text not null,
    consumer text not null,
    subject text not null,
    sequence bigint not null,
    message_id text,
    code text not null,
    reason text not null,
    attempts integer not null,
    died_at timestamptz not null,
    primary key (tenant, consumer, subject, sequence)
);
create index dead_letters_of_message on dead_letters (tenant, message_id, died_at) where message_id is not null;

-- The workers' role: it owns nothing. Whoever provides a server may have made it already, with its login.
do $$
begin
    if not exists (select from pg_roles where rolname = 'ricordo_worker') then
        create role ricordo_worker nologin nosuperuser nobypassrls nocreatedb nocreaterole noreplication;
    end if;
exception
    when duplicate_object or unique_violation then null;  -- made at this moment for another database of the server
end
$$;

-- The tenant that the transaction names. A setting of a former transaction is left behind as an empty text, so that
-- a policy which only compared with it would hide the mistake of naming none.
create function current_tenant() returns text language plpgsql stable parallel safe as $$
declare
    tenant text := current_setting('app.tenant', true);
begin
    if coalesce(tenant, '') = '' then
        raise exception 'this transaction names no tenant' using errcode = 'insufficient_privilege';
    end if;
    return tenant;
end
$$;

-- One tenant at a time. Forced for the owner too, so that only a superuser or a role that bypasses it on purpose
-- (backup) sees all.
do $$
declare
    name text;
begin
    foreach name in array array['history', 'memories', 'vectors', 'stages', 'fact_evidence', 'facts', 'entities',
                                'tombstones', 'inbox', 'dead_letters'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy one_tenant on %I using (tenant = current_tenant()) with check (tenant = current_tenant())',
            name);
        execute format('grant select, insert, update, delete on %I to ricordo_worker', name);
    end loop;
end
$$;
grant select, insert on tenants to ricordo_worker;

-- Until a table is analysed for the first time, the planner believes that a tenant has a two hundredth of its rows, as a
-- model has of the vectors, and would rather read all of these than look up keys. This is what it should begin with;
-- PostgreSQL 18 can be told.
do $$
declare
    field record;
begin
    if current_setting('server_version_num')::integer < 180000 then
        return;
    end if;
    for field in
        select table_name, column_name from information_schema.columns
        where table_schema = current_schema() and table_name <> 'tenants'
          and (column_name = 'tenant' or table_name = 'vectors' and column_name = 'model')
    loop
        perform pg_restore_attribute_stats(
            'schemaname', current_schema()::text, 'relname', field.table_name::text,
            'attname', field.column_name::text, 'inherited', false,
            'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    end loop;
end
$$;
