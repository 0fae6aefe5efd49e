-- Erasure, dead letters, sessions, passes, documents; and the isolation of tenants, for all tables.

-- Requests to forget. A tombstone is committed before the erasure, and every writer checks it.
-- Scope `memory`: a derived one, by its id. Scope `erased`: a message that was erased with its user or conversation, or that was rejected when it came again.
create table tombstones (
    tenant text not null,
    scope text not null,
    key text not null,
    user_id text not null,
    requested_at timestamptz not null default now(),
    erased_at timestamptz,  -- null until everything is erased
    request_count integer not null default 1,
    erased_counts jsonb not null default '{}',
    request_ids text[] not null default '{}',
    primary key (tenant, scope, user_id, key),
    constraint tombstones_scope_check check (scope in ('message', 'memory', 'conversation', 'user', 'erased'))
);
create index tombstones_messages on tombstones (tenant, key) where scope in ('message', 'erased');
create index tombstones_open on tombstones (tenant, requested_at) where erased_at is null;

-- Derived memories that were replaced, and erased ones, until the removal of their points was published again.
create table withdrawn_memories (
    tenant text not null,
    memory_id uuid not null,
    user_id text not null,
    withdrawn_at timestamptz not null default now(),
    primary key (tenant, memory_id)
);
create index withdrawn_memories_age on withdrawn_memories (tenant, withdrawn_at, memory_id);

-- Objects without a document, whose bytes are still to be deleted.
create table discarded_objects (
    tenant text not null,
    key text not null,
    user_id text not null,
    discarded_at timestamptz not null default now(),
    primary key (tenant, key)
);

-- Events with effects that are not idempotent, recorded in the transaction of their effect.
create table inbox (
    tenant text not null,
    consumer text not null,
    event_id uuid not null,
    handled_at timestamptz not null,
    primary key (tenant, consumer, event_id)
);
create index inbox_age on inbox (tenant, handled_at);

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
    memory_id uuid,  -- of a derived memory
    primary key (tenant, consumer, subject, sequence)
);
create index dead_letters_of_message on dead_letters (tenant, message_id, died_at) where message_id is not null;
create index dead_letters_of_memory on dead_letters (tenant, memory_id) where memory_id is not null;
create index dead_letters_age on dead_letters (tenant, died_at);

-- Messages of a user, in total and since the day began. A row is created with the first quota check and dropped with
-- each erasure: the next check counts again.
create table quota_counters (
    tenant text not null,
    user_id text not null,
    message_count bigint not null,
    day_start timestamptz not null,
    day_count bigint not null,
    primary key (tenant, user_id)
);

-- Conversations with messages that no summary covers yet. The first of them is `since_message_id`, sent at `since` (an
-- empty id is before all messages of that instant); `stored_at` is when the last was stored, `closed` whether the end of
-- a session is known, `revision` how often this has changed.
create table unsummarized_conversations (
    tenant text not null,
    user_id text not null,
    conversation_id text not null,
    since timestamptz not null,
    since_message_id text not null default '',
    stored_at timestamptz not null,
    closed boolean not null default false,
    revision bigint not null default 0,
    primary key (tenant, user_id, conversation_id)
);
create index unsummarized_conversations_closed on unsummarized_conversations (tenant, stored_at) where closed;
create index unsummarized_conversations_silent on unsummarized_conversations (tenant, stored_at);

-- Ends of sessions reported by bots: messages before belong to no later session, however late they arrive.
create table session_ends (
    tenant text not null,
    user_id text not null,
    conversation_id text not null,
    ended_at timestamptz not null,
    primary key (tenant, user_id, conversation_id, ended_at)
);

-- Use of one memory by one recall: when the recall's event was handled, and the last feedback. A use adds one access,
-- 0.05 of reinforcement and 0.02 of importance; withdrawing it takes the same back.
create table memory_uses (
    tenant text not null,
    memory_id uuid not null,
    recall_id uuid not null,
    accessed_at timestamptz,
    verdict text check (verdict in ('used', 'irrelevant')),
    updated_at timestamptz not null,
    primary key (tenant, memory_id, recall_id),
    foreign key (tenant, memory_id) references memories (tenant, id) on delete cascade
);
create index memory_uses_age on memory_uses (tenant, updated_at);

-- Requests that bots may repeat: a hash of the request, and its result (counts and ids).
create table requests (
    tenant text not null,
    id text not null,
    user_id text not null,
    request_hash bytea not null,
    outcome jsonb not null default '{}',
    handled_at timestamptz not null,
    primary key (tenant, id)
);
create index requests_of_user on requests (tenant, user_id);
create index requests_age on requests (tenant, handled_at);

-- Notes of a bot in a conversation, for as long as working memory lives.
create table notes (
    tenant text not null,
    user_id text not null,
    conversation_id text not null,
    key text not null,
    value json not null,
    set_at timestamptz not null,
    primary key (tenant, user_id, conversation_id, key)
);
create index notes_age on notes (tenant, set_at);

-- Documents attached to messages: where the bytes are in the object store, which are put there before the row.
create table documents (
    tenant text not null,
    memory_id uuid not null,  -- of the message, which is the source of the extracts
    user_id text not null,
    name text not null,
    media_type text not null,
    key text not null,
    size bigint not null,
    state text not null default 'waiting' check (state in ('waiting', 'read', 'failed')),
    reason text not null default '',
    extract_ids uuid[] not null default '{}',  -- in the order of the document
    complete boolean not null default true,  -- whether the extracts cover all of it
    attempts integer not null default 0,  -- claims by workers that did not come back
    claimed_until timestamptz,
    stored_at timestamptz not null,
    settled_at timestamptz,
    primary key (tenant, memory_id)
);
-- Per user, the oldest first.
create index documents_waiting on documents (tenant, user_id, stored_at, memory_id) where state = 'waiting';
create index documents_of_user on documents (tenant, user_id, key);

-- Importance (1 to 10 a message) of a user's messages since the last reflection.
create table reflection_backlog (
    tenant text not null,
    user_id text not null,
    importance double precision not null,
    primary key (tenant, user_id)
) with (fillfactor = 70);
create index reflection_backlog_due on reflection_backlog (tenant, importance);

-- The memory that holds each insight about a user. `insight_hash` is a hash of the subject and the claim, without words.
create table insights (
    tenant text not null,
    user_id text not null,
    insight_hash uuid not null,
    memory_id uuid not null,
    primary key (tenant, user_id, insight_hash)
);

-- Listings of a user's memories in an order that changes while they are read: by use or importance. Each row holds a thousand
-- ids, null for a memory that was erased.
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

-- The last completed run of each lifecycle pass, and the position of an unfinished one.
create table pass_runs (
    tenant text not null,
    pass text not null,
    completed_at timestamptz,
    unfinished_run_at timestamptz,
    resume_after uuid,
    primary key (tenant, pass)
);

-- The role of the workers: it owns nothing. The server's administrator may have created it already, with its login.
do $$
begin
    if not exists (select from pg_roles where rolname = 'ricordo_worker') then
        create role ricordo_worker nologin nosuperuser nobypassrls nocreatedb nocreaterole noreplication;
    end if;
exception
    when duplicate_object or unique_violation then null;  -- created concurrently for another database of the server
end
$$;

-- The tenant of the transaction. A setting of a former transaction remains as an empty text, so a policy that only
-- compared with it would not report a transaction that names no tenant.
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
-- (backup) sees all rows.
-- Until a table is analysed for the first time, the planner assumes that a tenant has a two hundredth of its rows, as a
-- model has of the vectors, a user of the facts and an id of any, and would rather read all of these than look up keys.
-- PostgreSQL 18 takes these statistics. The server itself analyses no table of fewer than a thousand rows, nor vacuums it,
-- which looks at it as well: a plan for so few is kept while they grow.
do $$
declare
    field record;
begin
    for field in
        select table_name, column_name from information_schema.columns
        where table_schema = current_schema() and table_name <> 'tenants'
          and (column_name = 'tenant' or table_name = 'vectors' and column_name = 'model'
               or column_name ~ '(^|_)id$' and column_name not in ('user_id', 'conversation_id')
               or table_name in ('facts', 'fact_evidence', 'mentions') and column_name = 'user_id')
    loop
        if field.column_name = 'tenant' then
            execute format('alter table %I enable row level security', field.table_name);
            execute format('alter table %I force row level security', field.table_name);
            execute format(
                'create policy tenant_isolation on %I using (tenant = current_tenant()) '
                'with check (tenant = current_tenant())', field.table_name);
            execute format('grant select, insert, update, delete on %I to ricordo_worker', field.table_name);
            execute format(
                'alter table %I set (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000)', field.table_name);
        end if;
        if current_setting('server_version_num')::integer >= 180000 then
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', field.table_name::text,
                'attname', field.column_name::text, 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8,
                'n_distinct', case when field.column_name ~ '(tenant|model|user_id)$' then 1 else -1 end::real);
        end if;
    end loop;
end
$$;
grant select, insert on tenants to ricordo_worker;
