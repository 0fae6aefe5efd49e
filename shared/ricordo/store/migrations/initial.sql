-- The tables of the current version, for an empty database. PostgreSQL is the source of truth: vectors and the graph
-- elsewhere are projections of these tables. Every table but `tenants` has a tenant and row-level security.
-- Columns are in the order in which `upgrades/` adds them, so that a dump of both is the same.

create table tenants (
    tenant text primary key,
    first_seen timestamptz not null default now()
);

-- Messages as they were sent, without recalled spans. `digest` distinguishes a repeated message from a conflict of ids.
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
    sent_at timestamptz not null,
    timezone text,
    language text,
    metadata jsonb not null,
    stored_at timestamptz not null,
    primary key (tenant, message_id)
);
create index history_of_user on history (tenant, user_id, sent_at, message_id);
create index history_of_conversation on history (tenant, conversation_id, sent_at, message_id);
create index history_zones on history (tenant, user_id, sent_at, message_id) where timezone is not null;

create table memories (
    tenant text not null,
    id uuid not null,
    user_id text not null,
    message_id text,  -- null: derived from other memories
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
    importance double precision not null default 0.5,
    access_count integer not null default 0,
    last_accessed timestamptz,
    reinforcement double precision not null default 0,
    decay_factor double precision not null default 1,
    pinned boolean not null default false,
    trust double precision not null default 0,
    related_ids uuid[] not null default '{}',
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
    -- values set by the bot, which override derived ones
    stated_kind text,
    stated_importance double precision,
    stated_participants text[] not null default '{}',
    derived_by text not null default '',  -- version of enrichment that derived the columns above
    unreported_move_at timestamptz,  -- last move to or from the archive, until its event was published again
    rated_by text not null default '',  -- version that derived the importance; empty: `derived_by`
    importance_beyond double precision not null default 0,  -- what use would have added above the ceiling of 0.95
    archive_reason text,  -- decay, expiry or retention; null with `archived_at` set: decay
    synthesis_id uuid,  -- the memory that this one was condensed into
    informative double precision not null default 1,  -- below 0.5: history, recalled only on request
    event_times tstzrange[] not null default '{}',  -- in the order of the text; the first is in event_start and event_end
    primary key (tenant, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index memories_of_user on memories (tenant, user_id, created_at, id);
create index memories_of_conversation on memories (tenant, conversation_id, created_at, message_id);
create index memories_unreported_moves on memories (tenant, unreported_move_at) where unreported_move_at is not null;
create index memories_derived on memories (tenant, user_id, kind, created_at) where message_id is null;
create index memories_summaries on memories (tenant, conversation_id, created_at) where kind = 'summary';
create index memories_expiring on memories (tenant, expires_at)
where expires_at is not null and archived_at is null and not pinned;

-- One vector per memory and model: float32, little endian, unit norm. A text is encoded once.
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

-- The models and dimensions of a tenant's vectors: a process reads at its start which collections may exist.
create table embedding_models (
    tenant text not null,
    model text not null,
    dimensions integer not null,
    primary key (tenant, model)
);

create table stages (
    tenant text not null,
    memory_id uuid not null,
    message_id text,
    user_id text not null,
    conversation_id text,
    ingested timestamptz not null,
    encoded timestamptz,
    enriched timestamptz,
    indexed timestamptz,
    extracted timestamptz,
    -- A column of its own, so that the index below is touched by the last stage only: the others stay in their page.
    pending boolean not null generated always as (
        encoded is null or enriched is null or indexed is null or extracted is null) stored,
    reflection_counted boolean not null default false,  -- counted towards a reflection; never reset
    deferred boolean not null default false,  -- part of a flood: waits until workers have room
    admitted_at timestamptz,
    primary key (tenant, memory_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- small: a row leaves it as soon as its message is remembered
create index stages_pending on stages (tenant, user_id, ingested) where pending;
create index stages_deferred on stages (tenant, user_id, ingested) where deferred;

-- Statements of messages; facts are a fold over this evidence. Names stay as they were written; the keys hold which
-- entity they mean, and the ties what distinguishes two of one name ("my brother").
create table fact_evidence (
    tenant text not null,
    user_id text not null,
    message_id text not null,
    ordinal integer not null,
    sent_at timestamptz not null,
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
    subject_tie text not null default '',
    object_tie text not null default '',
    primary key (tenant, message_id, ordinal)
);
create index fact_evidence_of_subject on fact_evidence (tenant, user_id, subject_key, predicate);
create index fact_evidence_of_object on fact_evidence (tenant, user_id, object_key);

-- A version per user that changes with every change of their evidence: a worker that remembers the fold of a version
-- need not read the evidence again.
create table evidence_versions (
    tenant text not null,
    user_id text not null,
    version uuid not null default gen_random_uuid(),
    primary key (tenant, user_id)
);

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
create index facts_of_predicate on facts (tenant, user_id, predicate, confidence desc, last_reinforced desc);
create index facts_current on facts (tenant, user_id, confidence desc, last_reinforced desc) where valid_to is null;
create index facts_verified on facts (tenant, user_id) where verified;

-- Readings that the user has rejected: the words of a message from which a fact is not read again. A row without a
-- message records the request about a fact that rested on the user's assertion alone.
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

create table entities (
    tenant text not null,
    user_id text not null,
    key text not null,
    name text not null,
    aliases text[] not null,
    mentions integer not null,
    primary key (tenant, user_id, key)
);
-- The two hundred most frequent names, of what may be many thousands, with which a question is analysed.
create index entities_of_user on entities (tenant, user_id, mentions desc, name);

-- Other names of an entity.
create table entity_names (
    tenant text not null,
    user_id text not null,
    name_key text not null,
    key text not null,
    primary key (tenant, user_id, name_key, key)
);
create index entity_names_of_entity on entity_names (tenant, user_id, key);

-- Whether two names are one entity, where rules cannot tell; null while undecided.
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

-- How often the links of a user have changed. `generation` changes whenever a memory is removed.
create table link_versions (
    tenant text not null,
    user_id text not null,
    generation uuid not null default gen_random_uuid(),
    number bigint not null default 0,
    primary key (tenant, user_id)
);

-- Up to ten nearest memories of each, nearest first, by the vectors of one model, and the change that wrote them last.
-- `vector` is the one by which a memory is linked (int16, little endian, in 4,000ths): `vectors` may hold a newer one.
-- `nearest` may name erased memories until links of the user change next.
create table neighbours (
    tenant text not null,
    memory_id uuid not null,
    user_id text not null,
    model text not null,
    number bigint not null,
    sent_at timestamptz not null,
    vector bytea not null,
    nearest uuid[] not null,
    primary key (tenant, memory_id),
    foreign key (tenant, memory_id) references memories (tenant, id) on delete cascade
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 128);
-- Neighbours change, the vector hardly ever: outside of the row it is not written again with them.
alter table neighbours alter column vector set storage external, alter column nearest set storage plain;
create index neighbours_of_user on neighbours (tenant, user_id, model, number);

-- Messages that correct an earlier one of their user, and which; null where that message is not there. Both follow from
-- the messages that exist, in whatever order they arrive.
create table corrections (
    tenant text not null,
    user_id text not null,
    correcting_id uuid not null,
    sent_at timestamptz not null,
    corrected_id uuid,
    primary key (tenant, correcting_id)
);
create index corrections_of_user on corrections (tenant, user_id, sent_at);
create index corrections_of_corrected on corrections (tenant, corrected_id) where corrected_id is not null;

-- Requests to forget. A tombstone is committed before the erasure, and every writer checks it.
-- Scope `erased`: a message that was erased with its user or conversation, or that was rejected when it came again.
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
    constraint tombstones_scope_check check (scope in ('message', 'conversation', 'user', 'erased'))
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
-- model has of the vectors, and would rather read all of these than look up keys. PostgreSQL 18 takes these statistics.
do $$
declare
    field record;
begin
    for field in
        select table_name, column_name from information_schema.columns
        where table_schema = current_schema() and table_name <> 'tenants'
          and (column_name = 'tenant' or table_name in ('vectors', 'neighbours') and column_name = 'model')
    loop
        if field.column_name = 'tenant' then
            execute format('alter table %I enable row level security', field.table_name);
            execute format('alter table %I force row level security', field.table_name);
            execute format(
                'create policy tenant_isolation on %I using (tenant = current_tenant()) '
                'with check (tenant = current_tenant())', field.table_name);
            execute format('grant select, insert, update, delete on %I to ricordo_worker', field.table_name);
        end if;
        if current_setting('server_version_num')::integer >= 180000 then
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', field.table_name::text,
                'attname', field.column_name::text, 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
        end if;
    end loop;
end
$$;
grant select, insert on tenants to ricordo_worker;
