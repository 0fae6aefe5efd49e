-- What a bot keeps at hand in a conversation of a user, for as long as working memory lives.
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

alter table notes enable row level security;
alter table notes force row level security;
create policy one_tenant on notes using (tenant = current_tenant()) with check (tenant = current_tenant());
grant select, insert, update, delete on notes to ricordo_worker;

-- What is at hand in a conversation, in one trip to the server: it names the tenant, as a transaction does at its
-- beginning, for itself alone. Turns and notes are told only to who does not hold them already as they are: `token` is
-- another one whenever one of them was added, changed, forgotten, or has come of age. Names that facts speak of are told
-- where the evidence is not in the state that the caller holds. All of it is of one moment (stable).
create function at_hand(
    whose text, of_user text, of_conversation text, said_after timestamptz, said_before timestamptz,
    noted_after timestamptz, noted_before timestamptz, most_turns integer, held text, held_state uuid
) returns table (token text, state uuid, turns json, notes json, names text[]) language plpgsql stable as $$
declare
    last_turns text;
    all_notes text;
begin
    perform set_config('app.tenant', whose, true);
    select string_agg(concat_ws(' ', t.message_id, t.version, t.participants), e'\n') into last_turns from (
        select h.message_id, h.xmin as version, m.participants
        from history h left join memories m on m.tenant = h.tenant and m.id = h.memory_id
        where h.tenant = whose and h.conversation_id = of_conversation and h.user_id is not distinct from of_user
          and h.said_at > said_after and h.said_at < said_before
        order by h.said_at desc, h.message_id desc limit most_turns) as t;
    select string_agg(concat_ws(' ', n.key, n.version), e'\n') into all_notes from (
        select n.key, n.xmin as version from notes n
        where n.tenant = whose and n.user_id = of_user and n.conversation_id = of_conversation
          and n.set_at > noted_after and n.set_at < noted_before
        order by n.key) as n;
    select f.state into state from folded_users f where f.tenant = whose and f.user_id = of_user;
    token := md5(concat_ws(e'\n\n', coalesce(last_turns, ''), coalesce(all_notes, ''), state));
    if token is distinct from held then
        select json_agg(t) into turns from (
            select h.message_id, h.memory_id, h.role, h.speaker, h.content, h.said_at, h.language, m.participants
            from history h left join memories m on m.tenant = h.tenant and m.id = h.memory_id
            where h.tenant = whose and h.conversation_id = of_conversation and h.user_id is not distinct from of_user
              and h.said_at > said_after and h.said_at < said_before
            order by h.said_at desc, h.message_id desc limit most_turns) as t;
        select json_object_agg(n.key, n.value) into notes from (
            select n.key, n.value from notes n
            where n.tenant = whose and n.user_id = of_user and n.conversation_id = of_conversation
              and n.set_at > noted_after and n.set_at < noted_before
            order by n.set_at desc, n.key) as n;
        if state is distinct from held_state then
            select array_agg(e.name order by e.mentions desc, e.name) into names from (
                select e.name, e.mentions from entities e where e.tenant = whose and e.user_id = of_user
                order by e.mentions desc, e.name limit 200) as e;
        end if;
    end if;
    return next;
end
$$;

-- As for the other tables: one tenant has all rows, until it is known better.
do $$
begin
    if current_setting('server_version_num')::integer >= 180000 then
        perform pg_restore_attribute_stats(
            'schemaname', current_schema()::text, 'relname', 'notes', 'attname', 'tenant', 'inherited', false,
            'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    end if;
end
$$;
