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
