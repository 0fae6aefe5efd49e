-- Functions of knowledge, each one round trip. Applied with `functions.sql`.

-- Returns messages, and what corrects them, be it by way of others: each as `read`, with what it corrects itself before it,
-- the nearest last. No message corrects itself, be it by way of others: where rows say so, the chain ends there.
create or replace function messages_to_read(of_tenant text, memory_ids uuid[]) returns table (
    read uuid, memory_id uuid, message_id text, user_id text, role text, speaker text, language text, content text,
    created_at timestamptz, timezone text, reading jsonb, previous text, previous_reading jsonb
) language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', of_tenant, true);
    return query
    with recursive requested as (
        select unnest(memory_ids) as id
        union
        select c.correcting_id from requested r cross join lateral (
            select correcting_id from corrections where tenant = of_tenant and corrected_id = r.id offset 0) as c
    ), chain as (
        select id as read, id, 0 as place from requested
        union all
        select chain.read, c.corrected_id, chain.place + 1
        from chain cross join lateral (
            select corrected_id from corrections
            where tenant = of_tenant and correcting_id = chain.id and corrected_id is not null offset 0) as c
    ) cycle id set again using way
    select chain.read, m.id, m.message_id, m.user_id, m.role, m.speaker, m.language, m.content, m.created_at, m.timezone,
           r.reading, p.content, p.reading
    from chain cross join lateral (select * from memories where tenant = of_tenant and id = chain.id offset 0) as m
    left join lateral (
        select reading from vectors
        where tenant = of_tenant and memory_id = m.id and reading is not null
          and text_hash = sha256(convert_to(m.content, 'UTF8')) order by model limit 1) as r on true
    left join lateral (
        select b.content, v.reading
        from memories b cross join lateral (
            select model, reading from vectors
            where tenant = of_tenant and memory_id = b.id and reading is not null and vector is not null
              and text_hash = sha256(convert_to(b.content, 'UTF8')) offset 0) as v
        where b.tenant = of_tenant and b.id = m.preceding_id and b.user_id = m.user_id
        order by v.model limit 1) as p on true
    where m.message_id is not null and not chain.again
    order by chain.read, chain.place desc;
end
$$;

-- Locks users (sorted, so that whoever needs several takes them in the same order) and memories until the transaction ends.
-- Returns, as they are then, the memories whose text has another hash, the rejected readings of messages, and the users whose
-- names were last resolved by a version that did not store them.
create or replace function lock_messages(
    of_tenant text, users text[], memory_ids uuid[], text_hashes bytea[], message_ids text[]
) returns table (
    reworded_id uuid, message_id text, subject text, predicate text, object text, quote text, unresolved_user text
) language plpgsql as $$
#variable_conflict use_column
begin
    perform pg_advisory_xact_lock(hashtextextended(of_tenant || '//' || one, 1)) from unnest(users) as one;
    return query
    with locked as (
        select m.id, sha256(convert_to(m.content, 'UTF8')) as text_hash
        from memories m where m.tenant = of_tenant and m.id = any(memory_ids) order by m.id for key share
    )
    select l.id, null, null, null, null, null, null
    from locked l join unnest(memory_ids, text_hashes) as r (id, text_hash) on r.id = l.id
    where l.text_hash <> r.text_hash;
    return query
    select null::uuid, r.message_id, r.subject, r.predicate, r.object, r.quote, null
    from rejections r where r.tenant = of_tenant and r.message_id = any(message_ids);
    return query
    select null::uuid, null, null, null, null, null, m.user_id
    from mentions m
    where m.tenant = of_tenant and m.user_id = any(users) and m.name_hash = md5('')::uuid and m.tie = '';
end
$$;

-- Returns all evidence of slots (rows: user, subject, predicate, object or null for any); and of entities (rows: user, key) how
-- many messages name them, in all, by spelling, and by what was written in the place of the name. A denial names nobody.
-- `naming` are the predicates whose object is an entity. Of a subquery with an offset all rows are found by its own keys, however
-- few rows there are; that a subject is not 'user' tells the planner that these are few.
create or replace function evidence_to_fold(
    of_tenant text, slots jsonb, entities jsonb, naming text[]
) returns table (
    user_id text, message_id text, sent_at timestamptz, subject text, predicate text, object text, polarity text, kind text,
    "position" integer, valid_from timestamptz, valid_to timestamptz, subject_tie text, object_tie text, subject_name text,
    object_name text, entity json
) language plpgsql stable rows 100 as $$
#variable_conflict use_column
begin
    return query
    select s.user_id, e.*, null::json
    from jsonb_to_recordset(slots) as s (user_id text, subject_key text, predicate text, object_key text)
    cross join lateral (
        select message_id, sent_at, subject, predicate, object, polarity, kind, position, valid_from, valid_to,
               subject_tie, object_tie, subject_name, object_name
        from fact_evidence f
        where tenant = of_tenant and f.user_id = s.user_id and f.subject_key = s.subject_key and f.predicate = s.predicate
        offset 0) as e
    where s.object_key is null;
    return query
    select s.user_id, e.*, null::json
    from jsonb_to_recordset(slots) as s (user_id text, subject_key text, predicate text, object_key text)
    cross join lateral (
        select message_id, sent_at, subject, predicate, object, polarity, kind, position, valid_from, valid_to,
               subject_tie, object_tie, subject_name, object_name
        from fact_evidence f
        where tenant = of_tenant and f.user_id = s.user_id and f.subject_key = s.subject_key and f.predicate = s.predicate
          and f.object_key = s.object_key
        offset 0) as e;
    if entities = '[]' then
        return;
    end if;
    return query
    with entity as (
        select * from jsonb_to_recordset(entities) as k (user_id text, key text)
    ), named as (
        select k.user_id, k.key, e.message_id, e.name, e.written
        from entity k cross join lateral (
            select message_id, subject_name as name, f.subject as written from fact_evidence f
            where tenant = of_tenant and f.user_id = k.user_id and subject_key = k.key and subject_key <> 'user'
              and polarity <> 'denied'
            offset 0) as e
        union all
        select k.user_id, k.key, e.message_id, e.name, e.written
        from entity k cross join lateral (
            select message_id, object_name as name, f.object as written, predicate from fact_evidence f
            where tenant = of_tenant and f.user_id = k.user_id and object_key = k.key
              and polarity <> 'denied'
            offset 0) as e
        where e.predicate = any(naming)
    ), spelled as (
        select user_id, key, message_id,
               btrim(regexp_replace(case when name = '' then written else name end, '\s+', ' ', 'g')) as name,
               case when name <> '' and name <> written then btrim(regexp_replace(written, '\s+', ' ', 'g')) end as written
        from named
    ), spelling as (
        select user_id, key, name, count(distinct message_id) as messages from spelled group by user_id, key, name
    ), counted as (
        select user_id, key, count(distinct message_id) as mentions,
               coalesce(json_agg(distinct written) filter (where written is not null), '[]') as written
        from spelled group by user_id, key
    )
    select c.user_id, null::text, null::timestamptz, null::text, null::text, null::text, null::text, null::text, null::integer,
           null::timestamptz, null::timestamptz, null::text, null::text, null::text, null::text,
           json_build_object(
               'key', c.key, 'mentions', c.mentions, 'written', c.written,
               'spellings', (select json_object_agg(n.name, n.messages) from spelling n
                             where n.user_id = c.user_id and n.key = c.key),
               'is_being', coalesce((
                   select true from mentions m
                   where m.tenant = of_tenant and m.user_id = c.user_id and m.entity_key = c.key
                     and m.word <> '' limit 1), false))
    from counted c;
end
$$;

-- Writes all facts of slots (as above); what has changed gets the next version of the facts of its user, and what is deleted
-- leaves it. Writes entities, all among the keys `touched` that anybody names; facts about them have their names. Returns how
-- many facts were deleted.
create or replace function write_facts(of_tenant text, new_facts jsonb, slots jsonb, new_entities jsonb, touched jsonb)
returns integer language plpgsql as $$
#variable_conflict use_column
declare
    one facts;
    stored facts;
    ids uuid[] := '{}';
    changed facts[] := '{}';
    going uuid[];
    renamed uuid[] := '{}';
    users text[] := '{}';
begin
    for one in select * from jsonb_populate_recordset(null::facts, new_facts) loop
        select * into stored from facts where tenant = of_tenant and id = one.id;
        one.tenant := of_tenant;
        one.version := stored.version;
        ids := ids || one.id;
        if stored is distinct from one then
            changed := changed || one;
            users := users || one.user_id;
        end if;
    end loop;

    with slot as (
        select * from jsonb_to_recordset(slots) as s (user_id text, subject_key text, predicate text, object_key text)
    ), present as (
        select f.id from slot s cross join lateral (
            select id from facts
            where tenant = of_tenant and user_id = s.user_id and subject_key = s.subject_key and predicate = s.predicate
            offset 0) as f
        where s.object_key is null
        union all
        select f.id from slot s cross join lateral (
            select id from facts
            where tenant = of_tenant and user_id = s.user_id and subject_key = s.subject_key and predicate = s.predicate
              and object_key = s.object_key
            offset 0) as f
    )
    select coalesce(array_agg(id), '{}') into going from present where not (id = any(ids));

    if touched <> '[]' then
        select coalesce(array_agg(f.id), '{}') into renamed
        from jsonb_to_recordset(new_entities) as e (user_id text, key text, name text)
        cross join lateral (
            select id, subject from facts
            where tenant = of_tenant and user_id = e.user_id and subject_key = e.key and subject_key <> 'user' offset 0) as f
        where f.subject <> e.name and not (f.id = any(ids || going));
        users := users || write_entities(of_tenant, new_entities, touched);
    end if;

    users := users || array(select user_id from facts where tenant = of_tenant and id = any(going || renamed));
    if users = '{}' then
        return 0;
    end if;
    insert into fact_versions as v (tenant, user_id, version)
    select of_tenant, one, 1 from (select distinct unnest(users) as one) as u order by one
    on conflict (tenant, user_id) do update set version = v.version + 1;

    if going <> '{}' then
        with gone as (
            delete from facts where tenant = of_tenant and id = any(going) returning id, user_id
        )
        insert into gone_facts (tenant, user_id, id, version)
        select of_tenant, g.user_id, g.id, v.version
        from gone g join fact_versions v on v.tenant = of_tenant and v.user_id = g.user_id
        on conflict (tenant, id) do update set version = excluded.version;
    end if;
    if renamed <> '{}' then
        update facts f set subject = e.name, version = v.version
        from jsonb_to_recordset(new_entities) as e (user_id text, key text, name text)
        join fact_versions v on v.tenant = of_tenant and v.user_id = e.user_id
        where f.tenant = of_tenant and f.id = any(renamed) and f.user_id = e.user_id and f.subject_key = e.key;
    end if;
    foreach one in array changed loop
        select version into one.version from fact_versions where tenant = of_tenant and user_id = one.user_id;
        delete from facts where tenant = of_tenant and id = one.id;
        insert into facts values (one.*);
    end loop;
    return cardinality(going);
end
$$;

-- Writes entities and the names that find them, and deletes those among the keys `touched` that nobody names. Returns the users
-- of which one has changed.
create or replace function write_entities(of_tenant text, new_entities jsonb, touched jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
    users text[];
begin
    delete from entity_names n
    using jsonb_to_recordset(touched) as t (user_id text, key text)
    where n.tenant = of_tenant and n.user_id = t.user_id and n.key = t.key and not exists (
        select from jsonb_to_recordset(new_entities) as e (user_id text, key text, names text[])
        where e.user_id = n.user_id and e.key = n.key and n.name_key = any(e.names));
    insert into entity_names (tenant, user_id, name_key, key)
    select of_tenant, e.user_id, name_key, e.key
    from jsonb_to_recordset(new_entities) as e (user_id text, key text, names text[]), unnest(e.names) as name_key
    order by e.user_id, name_key, e.key
    on conflict do nothing;
    with deleted as (
        delete from entities e
        using jsonb_to_recordset(touched) as t (user_id text, key text)
        where e.tenant = of_tenant and e.user_id = t.user_id and e.key = t.key and not exists (
            select from jsonb_to_recordset(new_entities) as n (user_id text, key text)
            where n.user_id = e.user_id and n.key = e.key)
        returning e.user_id
    ), written as (
        insert into entities as o (tenant, user_id, key, name, aliases, mentions)
        select of_tenant, user_id, key, name, aliases, mentions
        from jsonb_to_recordset(new_entities) as e (user_id text, key text, name text, aliases text[], mentions integer)
        order by user_id, key
        on conflict (tenant, user_id, key) do update
        set name = excluded.name, aliases = excluded.aliases, mentions = excluded.mentions
        where (o.name, o.aliases, o.mentions) is distinct from (excluded.name, excluded.aliases, excluded.mentions)
        returning o.user_id
    )
    select coalesce(array_agg(user_id), '{}') into users from (select user_id from deleted union select user_id from written) as u;
    return users;
end
$$;
