-- Forgetting: a tombstone says when it was asked for, how far it is, and what was erased.
alter table tombstones add column erased_at timestamptz;  -- null as long as something is left to erase
alter table tombstones add column times integer not null default 1;  -- how often it was asked for
alter table tombstones add column erased jsonb not null default '{}';
alter table tombstones add column requests text[] not null default '{}';  -- under which it was asked for
-- `erased`: a message that went with its user or its conversation, or came again and was kept out.
alter table tombstones drop constraint tombstones_scope_check;
alter table tombstones add constraint tombstones_scope_check
    check (scope in ('message', 'conversation', 'user', 'erased'));
-- By the id of a message alone, as its status is asked for.
create index tombstones_messages on tombstones (tenant, key) where scope in ('message', 'erased');
create index tombstones_open on tombstones (tenant, buried_at) where erased_at is null;

-- Whether a tombstone stands before what was said at `said`. A message is forgotten for ever; of a user and of a
-- conversation, all that was said by then: who comes back begins anew.
create function is_forgotten(whose text, of_user text, in_conversation text, message text, said timestamptz)
returns boolean language sql stable parallel safe
return exists (select from tombstones t
               where t.tenant = whose and t.scope in ('message', 'erased') and t.user_id = of_user
                 and t.key = message)
    or exists (select from tombstones t
               where t.tenant = whose and t.scope = 'conversation' and t.user_id = of_user and t.key = in_conversation
                 and t.buried_at >= said)
    or exists (select from tombstones t
               where t.tenant = whose and t.scope = 'user' and t.user_id = of_user and t.buried_at >= said);

-- Whether a user, or a conversation of theirs, is being forgotten at this moment: until all of it is erased, nothing is
-- kept of who may be gone.
create function is_being_erased(whose text, of_user text, in_conversation text)
returns boolean language sql stable parallel safe
return exists (select from tombstones t
               where t.tenant = whose and t.user_id = of_user and t.erased_at is null
                 and (t.scope = 'user' or t.scope = 'conversation' and t.key = in_conversation));

-- Documents that nobody knows any more, whose bytes whoever stores them has still to delete.
create table discarded_objects (
    tenant text not null,
    key text not null,
    user_id text not null,
    discarded_at timestamptz not null default now(),
    primary key (tenant, key)
);
alter table discarded_objects enable row level security;
alter table discarded_objects force row level security;
create policy one_tenant on discarded_objects using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on discarded_objects to ricordo_worker;

do $$
begin
    if current_setting('server_version_num')::integer >= 180000 then
        perform pg_restore_attribute_stats(
            'schemaname', current_schema()::text, 'relname', 'discarded_objects', 'attname', 'tenant', 'inherited', false,
            'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    end if;
end
$$;
