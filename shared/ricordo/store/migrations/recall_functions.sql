-- Functions that read what a recall shows, in one round trip each: they set the tenant for themselves, as a transaction does
-- at its beginning, and are transactions of their own. Applied with `functions.sql`.

-- Returns the last time zone of a user, the offset of their last message, and the names that are known.
create or replace function profile_of_user(text, text)
returns table (timezone text, utc_offset text, names text[], people text[], speakers text[]) language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', $1, true);
    return query
    select
        (select timezone from history where tenant = $1 and user_id = $2 and timezone is not null
         order by sent_at desc, message_id desc limit 1) as timezone,
        (select utc_offset from history where tenant = $1 and user_id = $2
         order by sent_at desc, message_id desc limit 1) as utc_offset,
        (select coalesce(array_agg(name), '{}') from (
            select name from entities where tenant = $1 and user_id = $2 order by mentions desc, name limit 200
        ) as met) as names,
        -- whom the last memories are about, who may be in no fact
        (select coalesce(array_agg(distinct name collate "C"), '{}') from (
            select participants from memories where tenant = $1 and user_id = $2
            order by created_at desc, id desc limit 100
        ) as recent, unnest(participants) as name) as people,
        (select coalesce(array_agg(distinct speaker), '{}') from (
            select speaker from history where tenant = $1 and user_id = $2
            order by sent_at desc, message_id desc limit 200
        ) as spoken where speaker <> '') as speakers;
end
$$;

-- Returns current facts about the user in person, of some predicates ($3), in their order; $4 is the user's key.
create or replace function facts_about_user(text, text, text[], text, integer)
returns setof facts language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', $1, true);
    return query
    select * from facts
    where tenant = $1 and user_id = $2 and valid_to is null and subject_key = $4 and predicate = any($3::text[])
    order by array_position($3::text[], predicate), confidence desc, last_reinforced desc, id limit $5;
end
$$;

-- Returns current facts that a recall may show: about one of the named entities ($3), which come first, firm, or verified.
-- Each of the three is found by its own index, so that not all that is known of a user is read for the ten that are shown.
create or replace function surfacing_facts(text, text, text[], integer, integer)
returns setof facts language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', $1, true);
    return query
    with named_keys as (
        select array(select unnest($3::text[]) union all
                     select key from entity_names where tenant = $1 and user_id = $2 and name_key = any($3::text[])) as keys
    ), named as (
        select * from facts
        where tenant = $1 and user_id = $2 and valid_to is null
          and (subject_key = any((select keys from named_keys)::text[]) or object_key = any((select keys from named_keys)::text[]))
        order by confidence desc, last_reinforced desc, id limit $5
    ), firm as (
        select * from facts
        where tenant = $1 and user_id = $2 and valid_to is null and confidence >= $4
        order by confidence desc, last_reinforced desc, id limit $5
    ), sure as (
        select * from facts
        where tenant = $1 and user_id = $2 and valid_to is null and verified
        order by confidence desc, last_reinforced desc, id limit $5
    ), shown as (
        select * from named union select * from firm union select * from sure
    )
    select * from shown
    order by id in (select id from named) desc, confidence desc, last_reinforced desc, id
    limit $5;
end
$$;

-- Returns in one row what a recall reads of a user besides memories: the profile; the keys of those who bear the names $3 of the
-- question, in their order (of the one who has just that name, else of the only one who also goes by it, without titles: $4;
-- the name itself where there is none, or more than one); current facts of the predicates $7, about these or about those of the
-- keys $5 where there are any, else about the user; and facts that surface, see above, for all of them and for the keys $6.
-- $8 as above, $9 how many surface, and $10 how many of the predicates.
create or replace function facts_of_question(text, text, text[], text[], text[], text[], text[], integer, integer, integer)
returns table (
    timezone text, utc_offset text, names text[], people text[], speakers text[],
    bearers text[], requested facts[], surfacing facts[]
) language plpgsql stable as $$
#variable_conflict use_column
declare
    meant text[] := '{}';
    about text[];
    is_about_user boolean;
begin
    perform set_config('app.tenant', $1, true);
    if cardinality($3) > 0 then
        meant := array(
            select coalesce(exact.key, other.key, asked.name)
            from unnest($3, $4) with ordinality as asked (name, short, place)
            left join lateral (
                select key from entities where tenant = $1 and user_id = $2 and key = asked.name offset 0) as exact on true
            left join lateral (
                select min(n.key) as key from entity_names n
                where n.tenant = $1 and n.user_id = $2 and n.name_key = any(array[asked.name, asked.short])
                having count(distinct n.key) = 1) as other on true
            order by asked.place);
    end if;
    about := array_remove(array_remove(case when cardinality($5) > 0 then $5 else meant end, 'user'), '');
    is_about_user := cardinality($5) = 0 and cardinality(meant) = 0;
    about := about || array(select key from entity_names where tenant = $1 and user_id = $2 and name_key = any(about));
    return query
    select profile.*, meant,
           case when cardinality($7) = 0 then '{}'
                when is_about_user then array(select f from facts_about_user($1, $2, $7, 'user', $10) as f)
                else array(
                    select f from facts as f
                    where f.tenant = $1 and f.user_id = $2 and f.valid_to is null and f.predicate = any($7)
                      and (f.subject_key = any(about) or f.object_key = any(about))
                    order by f.confidence desc, f.last_reinforced desc, f.id limit $10) end,
           array(select f from surfacing_facts(
               $1, $2, array_remove(array_remove($3 || meant || $5 || $6, 'user'), ''), $8, $9) as f)
    from profile_of_user($1, $2) as profile;
end
$$;

-- Returns the current facts that messages ($3, the best first) tell, and at most $5 that lead on from the first $4 of them:
-- facts that share somebody or something with these, but the user. Disputed facts lead nowhere.
create or replace function connected_facts(text, text, text[], integer, integer)
returns setof facts language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', $1, true);
    return query
    with told as materialized (
        select f.id, f.subject_key, f.object_key, bool_or(e.message_id = any($3[1:$4])) as leads
        from fact_evidence e
        join facts f on f.tenant = $1 and f.user_id = $2 and f.subject_key = e.subject_key and f.predicate = e.predicate
                    and f.object_key = e.object_key and f.message_ids @> array[e.message_id]
        where e.tenant = $1 and e.user_id = $2 and e.message_id = any($3) and f.valid_to is null and not f.disputed
        group by f.tenant, f.id
    ), ends as materialized (
        select subject_key as key from told where leads and subject_key <> 'user' union
        select object_key from told where leads and object_key <> 'user'
    ), further as materialized (
        select f.id from ends
        join facts f on f.tenant = $1 and f.user_id = $2 and (f.subject_key = ends.key or f.object_key = ends.key)
        where f.valid_to is null and not f.disputed
        order by f.confidence desc, f.last_reinforced desc, f.id limit $5
    )
    select * from facts
    where tenant = $1 and id = any(array(select id from told union select id from further))
    order by confidence desc, last_reinforced desc, id;
end
$$;

-- Returns what a ranking looks at of memories ($3), and no more: of a hundred candidates ten are shown. $4 is the instant of the
-- question, and $5 whether decay has floors.
-- `is not distinct from`, here and below, keeps the planner from reading all that a user has to find a hundred ids.
create or replace function ranking_rows(text, text, uuid[], timestamptz, boolean)
returns table (
    id uuid, created_at timestamptz, event_times tstzrange[], importance double precision, importance_beyond double precision,
    valence double precision, arousal double precision, access_count integer, decay_factor double precision,
    confidence double precision, trust double precision, token_count integer, archived boolean, informative boolean, role text,
    speaker text, kind text, conversation_id text, preceding_id uuid, asks boolean, key_topics jsonb,
    type text, participants text[], message_id text, text_or_hash text, corrected_by uuid[], language text
) language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', $1, true);
    return query
    select id, created_at, event_times, importance, importance_beyond, valence, arousal, access_count,
           decay_factor($4, stored_at, last_accessed, archived_at, importance, arousal, pinned or verified, $5) as decay_factor,
           confidence, trust, token_count, archived_at is not null as archived,
           informative >= 0.5 as informative, role, speaker, kind, conversation_id, preceding_id,
           position('?' in content) > 0 as asks, case when kind = 'summary' then key_topics end as key_topics,
           type, participants, message_id,
           -- a longer text is compared as a whole
           case when length(content) <= 300 then content else md5(content) end as text_or_hash,
           -- looked up for all at once: few memories are corrected
           case when m.id = any(array(select c.corrected_id from corrections c where c.tenant = $1 and c.corrected_id = any($3))) then
           array(with recursive chain as (
                     select c.correcting_id, c.sent_at from corrections c where c.tenant = $1 and c.corrected_id = m.id
                     union
                     select c.correcting_id, c.sent_at from chain cross join lateral (
                         select * from corrections where tenant = $1 and corrected_id = chain.correcting_id offset 0) c)
                 select c.correcting_id from chain c
                 where (select k.archived_at is null from memories k where k.tenant = $1 and k.id = c.correcting_id)
                 order by c.sent_at desc, c.correcting_id desc) else '{}' end as corrected_by,
           language
    from memories m where tenant = $1 and id = any($3::uuid[]) and user_id is not distinct from $2;
end
$$;

-- Returns whole memories ($3), with their corrections, and the ids of the messages that a derived memory was
-- made of, the latest hundred.
create or replace function memories_with_links(text, text, uuid[])
returns table (memory memories, source_message_ids text[], corrects uuid[], corrected_by uuid[])
language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', $1, true);
    return query
    select m, case when m.message_id is null then array(
               select s.message_id from memories s
               where s.tenant = $1 and s.id = any(m.source_ids) and s.message_id is not null
               order by s.created_at desc, s.message_id desc limit 100) end as source_message_ids,
           array(select c.corrected_id from corrections c
                 where c.tenant = $1 and c.correcting_id = m.id and c.corrected_id is not null) as corrects,
           array(select c.correcting_id from corrections c where c.tenant = $1 and c.corrected_id = m.id
                 order by c.sent_at desc, c.correcting_id desc) as corrected_by
    from memories m where m.tenant = $1 and m.id = any($3::uuid[]) and m.user_id is not distinct from $2;
end
$$;
