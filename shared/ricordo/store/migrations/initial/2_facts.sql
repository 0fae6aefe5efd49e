-- Evidence, facts, entities, links between memories and corrections.

-- Statements of messages; facts are a fold over this evidence. Names stay as they were written; the keys hold which
-- entity they mean, `subject_name` and `object_name` its name where that is another one, and the ties what distinguishes two
-- of one name ("my brother").
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
    subject_name text not null default '',
    object_name text not null default '',
    primary key (tenant, message_id, ordinal)
);
create index fact_evidence_of_slot on fact_evidence (tenant, user_id, subject_key, predicate, object_key);
create index fact_evidence_of_object on fact_evidence (tenant, user_id, object_key, subject_key, predicate);

-- The people and animals that the evidence of a user speaks of, as they are written and tied, and who they are: a function of
-- all mentions, and of decisions about names. `entity` is as `subject_name` above; `word` is the first
-- word, and empty where there is no name ("my brother"); `kind` is the predicate of the tie.
create table mentions (
    tenant text not null,
    user_id text not null,
    name_hash uuid generated always as (md5(name)::uuid) stored,
    tie text not null,
    name text not null,
    word text not null,
    kind text not null,
    entity text not null,
    entity_key text not null,
    primary key (tenant, user_id, name_hash, tie)
);
create index mentions_of_word on mentions (tenant, user_id, word);
create index mentions_of_kind on mentions (tenant, user_id, kind) where kind <> '';
create index mentions_of_entity on mentions (tenant, user_id, entity_key);

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
    version bigint not null,
    primary key (tenant, id)
);
create index facts_of_user on facts (tenant, user_id, confidence desc, last_reinforced desc);
create index facts_of_slot on facts (tenant, user_id, subject_key, predicate, object_key);
create index facts_of_object on facts (tenant, user_id, object_key, subject_key, predicate);
create index facts_of_predicate on facts (tenant, user_id, predicate, confidence desc, last_reinforced desc);
create index facts_current on facts (tenant, user_id, confidence desc, last_reinforced desc) where valid_to is null;
create index facts_verified on facts (tenant, user_id) where verified;
create index facts_of_version on facts (tenant, user_id, version, id);

-- The version of a user's facts, and the one that the graph is known to have. It is drawn under the user's lock, so that it
-- grows in the order of the commits.
create table fact_versions (
    tenant text not null,
    user_id text not null,
    version bigint not null,
    projected bigint not null default 0,
    primary key (tenant, user_id)
);
create index fact_versions_behind on fact_versions (tenant, user_id) where version > projected;

-- Facts that were deleted, until the graph is known to have that version.
create table gone_facts (
    tenant text not null,
    id uuid not null,
    user_id text not null,
    version bigint not null,
    primary key (tenant, id)
);
create index gone_facts_of_user on gone_facts (tenant, user_id, version);

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
