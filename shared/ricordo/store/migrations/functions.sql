-- Functions and triggers of the current version: applied after the files of `initial`, and after the last upgrade.

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

-- Returns the decay factor at an instant, as `ricordo.memory.decay.decay_factor`; a test compares them by its table of cases.
-- It is exempt where it is pinned or verified. 10,000 weeks: a power too small for a double is an error here, where the formula
-- says nothing is left.
create or replace function decay_factor(
    at timestamptz, stored_at timestamptz, last_accessed timestamptz, archived_at timestamptz, importance double precision,
    arousal double precision, exempt boolean, floors boolean)
returns double precision language sql immutable parallel safe
return case when exempt or date_part('day', coalesce(archived_at, at) - greatest(stored_at, last_accessed)) <= 7 then 1
            else greatest(
                least(1, power(0.95::double precision, least(10000, floor(
                             date_part('day', coalesce(archived_at, at) - greatest(stored_at, last_accessed)) / 7)))
                         + 0.3 * arousal + 0.2 * importance),
                case when floors then 0.2 + 0.7 * importance end) end;

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

-- Returns what points are made of, in one round trip: the function sets the tenant for itself. A memory is indexed by the
-- vector of the first of the models that it has one of, or by its words if that model refused it. Of one without any, the
-- model is null. The version changes
-- with whatever the point follows from: it names the transactions that last wrote the row and both vectors. The row has the
-- id of its predecessor, and a predecessor whose text is corrected gets a new vector.
create or replace function points_of_memories(
    of_tenant text, of_models text[], of_memories uuid[], with_vectors boolean
) returns table (
    memory_id uuid, version text, model text, vector bytea, user_id text, conversation_id text, type text, kind text,
    created_at timestamptz, event_times tstzrange[], participants text[], topics text[], valence double precision,
    importance double precision, informative double precision, is_archived boolean, content text, language text,
    preceding_text text, preceding_language text, preceding_vector bytea
) language plpgsql stable as $$
begin
    perform set_config('app.tenant', of_tenant, true);
    return query
    select m.id, concat(m.xmin, '/', v.model, '/', v.row_version, '/', pv.xmin), v.model,
           case when with_vectors then v.vector end, m.user_id, m.conversation_id, m.type, m.kind, m.created_at,
           m.event_times, m.participants, m.topics, m.valence, m.importance, m.informative, m.archived_at is not null,
           case when with_vectors then m.content end, m.language, case when with_vectors then p.content end, p.language,
           case when with_vectors then pv.vector end
    from memories m
    left join lateral (
        select one.model, one.vector, one.xmin as row_version from vectors one
        where one.tenant = of_tenant and one.memory_id = m.id and one.model = any(of_models)
        order by array_position(of_models, one.model) limit 1) as v on true
    left join lateral (select * from memories where tenant = of_tenant and id = m.preceding_id offset 0) as p on true
    left join lateral (
        select x.xmin, x.vector from vectors x
        where x.tenant = of_tenant and x.memory_id = m.preceding_id and x.model = v.model offset 0) as pv on true
    where m.tenant = of_tenant and m.id = any(of_memories);
end
$$;

-- Returns the working memory of a conversation in one round trip: the function sets the tenant for itself, as a
-- transaction does at its beginning. Turns and notes are returned only if the caller's token is out of date: it changes
-- whenever one of them is added, changed, forgotten or expires. Names are returned if the caller's version of the
-- facts is out of date. All of it is of one snapshot (stable).
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
    select md5(concat_ws('/', v.version, v.xmin))::uuid into version
    from fact_versions v where v.tenant = of_tenant and v.user_id = of_user;
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
