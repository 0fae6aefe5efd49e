-- Memories that no message is behind: summaries, reflections, syntheses, extracts. They take the way of any memory.
alter table stages alter column message_id drop not null;
alter table stages alter column conversation_id drop not null;
create index memories_derived on memories (tenant, user_id, kind, created_at) where message_id is null;

-- Derived memories that others have taken the place of, until it was said once more that their points have to go.
create table withdrawn (
    tenant text not null,
    memory_id uuid not null,
    user_id text not null,
    at timestamptz not null default now(),
    primary key (tenant, memory_id)
);
create index withdrawn_age on withdrawn (tenant, at, memory_id);
alter table withdrawn enable row level security;
alter table withdrawn force row level security;
create policy one_tenant on withdrawn using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on withdrawn to ricordo_worker;

-- Conversations of a user in which something was said that no summary covers yet: the first of it is the message
-- `since_message`, said at `since` (the empty text is before all of that instant),
-- `stored_at` when the last of it came in, `closed` whether an end of the session is known for some of it, `changes` how
-- often anything of this has changed.
create table unsummarized (
    tenant text not null,
    user_id text not null,
    conversation_id text not null,
    since timestamptz not null,
    since_message text not null default '',
    stored_at timestamptz not null,
    closed boolean not null default false,
    changes bigint not null default 0,
    primary key (tenant, user_id, conversation_id)
);
create index unsummarized_closed on unsummarized (tenant, stored_at) where closed;
create index unsummarized_silent on unsummarized (tenant, stored_at);

-- When bots said that a session had ended: what was said until then belongs to no later session, however late it comes.
create table session_ends (
    tenant text not null,
    user_id text not null,
    conversation_id text not null,
    ended_at timestamptz not null,
    primary key (tenant, user_id, conversation_id, ended_at)
);

-- The summaries of a conversation, of which there is one a session.
create index memories_summaries on memories (tenant, conversation_id, created_at) where kind = 'summary';

do $$
declare
    name text;
begin
    foreach name in array array['unsummarized', 'session_ends'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format(
            'create policy one_tenant on %I using (tenant = current_tenant()) with check (tenant = current_tenant())',
            name);
        execute format('grant select, insert, update, delete on %I to ricordo_worker', name);
    end loop;
end
$$;
