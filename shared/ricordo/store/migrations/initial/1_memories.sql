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
    utc_offset text,  -- of `sent_at` as it was written, such as +08:00; null for that of UTC
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
    pinned boolean not null default false,
    trust double precision not null default 0,
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
    refs text[] not null default '{}',  -- the bot's own entities that it is about, by `type:id`
    emotional_trigger text not null default '',  -- the words that say what set off the feeling
    primary key (tenant, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index memories_of_user on memories (tenant, user_id, created_at, id);
create index memories_of_conversation on memories (tenant, conversation_id, created_at, message_id);
create index memories_unreported_moves on memories (tenant, unreported_move_at) where unreported_move_at is not null;
create index memories_derived on memories (tenant, user_id, kind, created_at) where message_id is null;
create index memories_summaries on memories (tenant, conversation_id, created_at) where kind = 'summary';
create index memories_expiring on memories (tenant, expires_at)
where expires_at is not null and archived_at is null and not pinned;

-- One vector per memory and model: float32, little endian, unit norm. A text is encoded once, and read once.
create table vectors (
    tenant text not null,
    memory_id uuid not null,
    model text not null,
    text_hash bytea not null,
    vector bytea,  -- null: the model refused the text
    reading jsonb,  -- what the text says; null: not read yet
    read_by text,  -- the version of the reader
    read_previous bytea,  -- hash of the text of the turn before, where its vector was read; null: without one
    primary key (tenant, memory_id, model)
) with (toast_tuple_target = 8160);
create index vectors_refused on vectors (tenant, model) where vector is null;
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
    republished timestamptz,  -- when the event of a missing stage was last published again, or a stage was last taken back
    bulk boolean not null default false,  -- the lane that its message is processed on
    primary key (tenant, memory_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- small: a row leaves it as soon as its message is remembered
create index stages_pending on stages (tenant, user_id, ingested) where pending;
