-- Functions and triggers of the current version: applied after `initial.sql`, and after the last upgrade.

-- Returns the importance after `uses` more uses (fewer, where negative): 0.02 each up to 0.95; the next function returns
-- what is beyond that ceiling. As `ricordo.memory.importance.after_uses`; a test compares them. They are in SQL,
-- without settings and not strict, so that the planner inlines them.
create or replace function importance_after_uses(
    importance double precision, beyond double precision, uses double precision)
returns double precision language sql immutable parallel safe
return case when uses = 0 then importance
            else greatest(0, least(importance + beyond + 0.02 * uses, greatest(importance, 0.95))) end;

create or replace function beyond_after_uses(
    importance double precision, beyond double precision, uses double precision)
returns double precision language sql immutable parallel safe
return case when uses = 0 then beyond
            else greatest(0, importance + beyond + 0.02 * uses - importance_after_uses(importance, beyond, uses)) end;

-- Whether a tombstone covers a message. A message is forgotten for ever; of a user and of a conversation, all messages
-- until the request: a user who returns starts anew.
create or replace function is_forgotten(
    of_tenant text, of_user text, of_conversation text, of_message text, message_sent_at timestamptz)
returns boolean language sql stable parallel safe
return exists (select from tombstones t
               where t.tenant = of_tenant and t.scope in ('message', 'erased') and t.user_id = of_user
                 and t.key = of_message)
    or exists (select from tombstones t
               where t.tenant = of_tenant and t.scope = 'conversation' and t.user_id = of_user
                 and t.key = of_conversation and t.requested_at >= message_sent_at)
    or exists (select from tombstones t
               where t.tenant = of_tenant and t.scope = 'user' and t.user_id = of_user
                 and t.requested_at >= message_sent_at);

-- Whether an erasure of a user, or of a conversation of theirs, is unfinished: until then nothing is stored of them that
-- may be erased already.
create or replace function is_being_erased(of_tenant text, of_user text, of_conversation text)
returns boolean language sql stable parallel safe
return exists (select from tombstones t
               where t.tenant = of_tenant and t.user_id = of_user and t.erased_at is null
                 and (t.scope = 'user' or t.scope = 'conversation' and t.key = of_conversation));

-- Removes deleted memories from `related_ids` of others, in the same transaction. It first takes the lock of
-- `link_store.sql`, so that it waits for a concurrent change of the user's links, and the other way round, without a
-- deadlock.
create or replace function remove_links_of_deleted() returns trigger language plpgsql as $$
begin
    if not exists (select from deleted) then
        return null;
    end if;
    perform pg_advisory_xact_lock(hashtextextended(of_user.tenant || '/' || of_user.user_id, 2))
    from (select tenant, user_id from deleted group by tenant, user_id
          order by tenant collate "C", user_id collate "C") as of_user;
    update link_versions v set generation = gen_random_uuid()
    from (select distinct tenant, user_id from deleted) as d where v.tenant = d.tenant and v.user_id = d.user_id;
    delete from link_versions v
    using (select distinct tenant, user_id from deleted) as d
    where v.tenant = d.tenant and v.user_id = d.user_id
      and not exists (select from neighbours n where n.tenant = v.tenant and n.user_id = v.user_id);
    with pairs as (
        select distinct d.tenant, d.id as deleted_id, r.id as related_id
        from deleted d cross join unnest(d.related_ids) as r (id)
    ), locked as (
        select m.tenant, m.id from memories m
        where (m.tenant, m.id) in (select tenant, related_id from pairs) order by m.id for update
    )
    update memories m
    set related_ids = array(
        select r.id from unnest(m.related_ids) with ordinality as r (id, position)
        where not exists (select from pairs p where p.tenant = m.tenant and p.deleted_id = r.id) order by r.position)
    from locked l where m.tenant = l.tenant and m.id = l.id;
    return null;
end
$$;
create or replace trigger memories_deleted after delete on memories referencing old table as deleted
for each statement execute function remove_links_of_deleted();

-- Changes a user's evidence version with their evidence, whatever statement changes it. It first takes the lock of
-- `facts.sql`, so that an erasure waits for a concurrent fold without a deadlock. An erasure leaves no version.
create or replace function change_evidence_version() returns trigger language plpgsql as $$
begin
    if not exists (select from changed) then
        return null;
    end if;
    perform pg_advisory_xact_lock(hashtextextended(of_user.tenant || '//' || of_user.user_id, 1))
    from (select tenant, user_id from changed group by tenant, user_id
          order by tenant collate "C", user_id collate "C") as of_user;
    if tg_op = 'DELETE' then
        delete from evidence_versions v
        using (select distinct tenant, user_id from changed) as c
        where v.tenant = c.tenant and v.user_id = c.user_id;
    else
        insert into evidence_versions (tenant, user_id) select tenant, user_id from changed group by tenant, user_id
        on conflict (tenant, user_id) do update set version = gen_random_uuid();
    end if;
    return null;
end
$$;
create or replace trigger evidence_inserted after insert on fact_evidence referencing new table as changed
for each statement execute function change_evidence_version();
create or replace trigger evidence_updated after update on fact_evidence referencing new table as changed
for each statement execute function change_evidence_version();
create or replace trigger evidence_deleted after delete on fact_evidence referencing old table as changed
for each statement execute function change_evidence_version();

-- Returns the working memory of a conversation in one round trip: the function sets the tenant for itself, as a
-- transaction does at its beginning. Turns and notes are returned only if the caller's token is out of date: it changes
-- whenever one of them is added, changed, forgotten or expires. Names are returned if the caller's evidence version is
-- out of date. All of it is of one snapshot (stable).
create or replace function working_memory(
    of_tenant text, of_user text, of_conversation text, turns_after timestamptz, turns_before timestamptz,
    notes_after timestamptz, notes_before timestamptz, max_turns integer, known_token text, known_version uuid
) returns table (token text, version uuid, turns json, notes json, names text[]) language plpgsql stable as $$
declare
    turn_versions text;
    note_versions text;
begin
    perform set_config('app.tenant', of_tenant, true);
    select string_agg(concat_ws(' ', t.message_id, t.row_version, t.participants), e'\n') into turn_versions from (
        select h.message_id, h.xmin as row_version, m.participants
        from history h left join memories m on m.tenant = h.tenant and m.id = h.memory_id
        where h.tenant = of_tenant and h.conversation_id = of_conversation and h.user_id is not distinct from of_user
          and h.sent_at > turns_after and h.sent_at < turns_before
        order by h.sent_at desc, h.message_id desc limit max_turns) as t;
    select string_agg(concat_ws(' ', n.key, n.row_version), e'\n') into note_versions from (
        select n.key, n.xmin as row_version from notes n
        where n.tenant = of_tenant and n.user_id = of_user and n.conversation_id = of_conversation
          and n.set_at > notes_after and n.set_at < notes_before
        order by n.key) as n;
    select v.version into version from evidence_versions v where v.tenant = of_tenant and v.user_id = of_user;
    token := md5(concat_ws(e'\n\n', coalesce(turn_versions, ''), coalesce(note_versions, ''), version));
    if token is distinct from known_token then
        select json_agg(t) into turns from (
            select h.message_id, h.memory_id, h.role, h.speaker, h.content, h.sent_at, h.language, m.participants
            from history h left join memories m on m.tenant = h.tenant and m.id = h.memory_id
            where h.tenant = of_tenant and h.conversation_id = of_conversation
              and h.user_id is not distinct from of_user
              and h.sent_at > turns_after and h.sent_at < turns_before
            order by h.sent_at desc, h.message_id desc limit max_turns) as t;
        select json_object_agg(n.key, n.value) into notes from (
            select n.key, n.value from notes n
            where n.tenant = of_tenant and n.user_id = of_user and n.conversation_id = of_conversation
              and n.set_at > notes_after and n.set_at < notes_before
            order by n.set_at desc, n.key) as n;
        if version is distinct from known_version then
            select array_agg(e.name order by e.mentions desc, e.name) into names from (
                select e.name, e.mentions from entities e where e.tenant = of_tenant and e.user_id = of_user
                order by e.mentions desc, e.name limit 200) as e;
        end if;
    end if;
    return next;
end
$$;
