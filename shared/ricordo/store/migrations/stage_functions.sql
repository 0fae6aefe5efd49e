-- Functions that do one stage of a batch in one round trip: each sets the tenant for itself, as a transaction does at its
-- beginning, and is a transaction of its own. Applied with `functions.sql`.

-- Returns the texts of memories; whether a model has encoded or refused them, what it had of another text does not count;
-- whether a reader has read them after the turn that stands before them now; that turn, with its hash, and its vector of the
-- model that the reader knows.
create or replace function texts_to_encode(
    of_tenant text, of_model text, of_reader text, read_model text, memory_ids uuid[]
)
returns table (
    memory_id uuid, content text, is_encoded boolean, is_read boolean, preceding_id uuid, previous_hash bytea, previous bytea
) language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', of_tenant, true);
    return query
    select m.id, m.content, v.memory_id is not null,
           coalesce(v.read_by = of_reader and v.read_previous is not distinct from p.text_hash, false),
           m.preceding_id, p.text_hash, (
        select vector from vectors where tenant = of_tenant and memory_id = m.preceding_id and model = read_model)
    from memories m
    left join lateral (
        select * from vectors where tenant = of_tenant and memory_id = m.id and model = of_model
        and text_hash = sha256(convert_to(m.content, 'UTF8')) offset 0) as v on true
    left join lateral (
        select text_hash from vectors where tenant = of_tenant and memory_id = m.preceding_id and vector is not null
        order by model limit 1) as p on true
    where m.tenant = of_tenant and m.id = any(memory_ids);
end
$$;

-- Returns what enrichment reads of memories, each with its reading.
create or replace function memories_to_enrich(of_tenant text, memory_ids uuid[])
returns table (
    memory_id uuid, message_id text, user_id text, conversation_id text, role text, speaker text, content text, language text,
    kind text, created_at timestamptz, timezone text, stated_participants text[], reading jsonb
) language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', of_tenant, true);
    return query
    select m.id, m.message_id, m.user_id, m.conversation_id, m.role, m.speaker, m.content, m.language, m.kind, m.created_at,
           m.timezone, m.stated_participants, (
        select reading from vectors
        where tenant = of_tenant and memory_id = m.id and reading is not null
          and text_hash = sha256(convert_to(m.content, 'UTF8')) order by model limit 1)
    from memories m where m.tenant = of_tenant and m.id = any(memory_ids);
end
$$;

-- Sets a stage of memories and returns all their stages. Rows are locked in id order, so that workers of different stages
-- never wait for each other in a circle; a stage once set keeps its instant.
-- What `consumers`, which set it, had given up has worked now, and so has ingest: the reasons go, in the same transaction.
-- Only what ingest refused for good stays: that was another body under the same id. What is enriched was counted, for good.
create or replace function mark_stage(of_tenant text, memory_ids uuid[], stage text, at timestamptz, consumers text[])
returns setof stages language sql as $$
with locked as (
    select memory_id from stages where tenant = of_tenant and memory_id = any(memory_ids) order by memory_id for update
), marked as (
    update stages s
    set encoded = case when stage = 'encoded' then coalesce(s.encoded, at) else s.encoded end,
        enriched = case when stage = 'enriched' then coalesce(s.enriched, at) else s.enriched end,
        reflection_counted = s.reflection_counted or stage = 'enriched',
        indexed = case when stage = 'indexed' then coalesce(s.indexed, at) else s.indexed end,
        extracted = case when stage = 'extracted' then coalesce(s.extracted, at) else s.extracted end
    where s.tenant = of_tenant and s.memory_id = any(array(select memory_id from locked))
    returning s.*
), settled as (
    delete from dead_letters d using marked m
    where d.tenant = of_tenant and d.message_id = m.message_id
      and (d.consumer = any(consumers)
           or d.consumer in ('ingest', 'ingest-bulk') and d.code in ('attempts_exhausted', 'quota_exceeded'))
), settled_made as (
    delete from dead_letters d using marked m
    where d.tenant = of_tenant and m.message_id is null and d.memory_id = m.memory_id and d.consumer = any(consumers)
)
select * from marked
$$;

-- Sets the stage `indexed` of memories whose points are of the current `versions` of their rows, and returns these memories.
-- Stages are locked before the versions are read: whoever changes a row and takes this stage back either waits, and takes it
-- back after this, or has committed, and the version is another.
create or replace function mark_indexed(
    of_tenant text, of_models text[], memory_ids uuid[], versions text[], at timestamptz, consumers text[]
) returns table (
    memory_id uuid, message_id text, user_id text, conversation_id text, ingested timestamptz, encoded timestamptz,
    enriched timestamptz, indexed timestamptz, extracted timestamptz
) language plpgsql as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', of_tenant, true);
    perform from stages s where s.tenant = of_tenant and s.memory_id = any(memory_ids) order by s.memory_id for update;
    return query
    with matching as (
        select p.memory_id from points_of_memories(of_tenant, of_models, memory_ids, false) as p
        join unnest(memory_ids, versions) as w (memory_id, version) on w.memory_id = p.memory_id and w.version = p.version
    )
    select m.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed, s.extracted
    from matching m
    left join mark_stage(of_tenant, array(select one.memory_id from matching as one), 'indexed', at, consumers) as s
        on s.memory_id = m.memory_id;
end
$$;

-- Writes new vectors of a model (null of what it refused) and new readings, sets the stage of all of `done`, and returns
-- their stages. The points of the memories after them lack the new vectors: the stage `indexed` of these is taken back, and
-- those of `done` that have to be indexed again are returned with their `preceding_id`. What was read after another turn than
-- now stands before it is returned as `unread`. `text_hashes` are of the texts of `done`: of a memory with another text by now
-- nothing is written; null is not checked.
create or replace function save_vectors(
    of_tenant text, of_model text, memory_ids uuid[], new_vectors bytea[], done uuid[], text_hashes bytea[], at timestamptz,
    consumers text[], of_reader text, read_ids uuid[], readings jsonb[], previous_hashes bytea[]
) returns table (
    memory_id uuid, message_id text, user_id text, conversation_id text, ingested timestamptz, encoded timestamptz,
    enriched timestamptz, indexed timestamptz, extracted timestamptz, preceding_id uuid, unread boolean
) language plpgsql as $$
#variable_conflict use_column
declare
    current uuid[];
    followers uuid[];
    neighbours uuid[];
    stale uuid[];
begin
    perform set_config('app.tenant', of_tenant, true);
    -- The rows are locked, so that a concurrent erasure deletes the vector too.
    with locked as (
        select m.id, sha256(convert_to(m.content, 'UTF8')) as text_hash
        from memories m where m.tenant = of_tenant and m.id = any(done || memory_ids) order by m.id for key share
    )
    select array_agg(l.id) into current
    from locked l left join unnest(done, text_hashes) as d (id, text_hash) on d.id = l.id
    where d.text_hash is null or d.text_hash = l.text_hash;

    if cardinality(memory_ids) > 0 then
        -- Which models there are vectors of is noted with the first one; who strikes a model out waits for us, or we for them.
        perform from embedding_models e where e.tenant = of_tenant and e.model = of_model for key share;
        if not found then
            insert into embedding_models (tenant, model, dimensions)
            select of_tenant, of_model, max(octet_length(v.vector)) / 4
            from unnest(memory_ids, new_vectors) as v (memory_id, vector) where v.memory_id = any(current)
            having count(v.vector) > 0
            on conflict do nothing;
        end if;
        insert into vectors (tenant, memory_id, model, text_hash, vector)
        select of_tenant, v.memory_id, of_model, sha256(convert_to(m.content, 'UTF8')), v.vector
        from unnest(memory_ids, new_vectors) as v (memory_id, vector)
        cross join lateral (select content from memories where tenant = of_tenant and id = v.memory_id offset 0) as m
        where v.memory_id = any(current) order by v.memory_id
        on conflict on constraint vectors_pkey do update set text_hash = excluded.text_hash, vector = excluded.vector;
    end if;
    if cardinality(read_ids) > 0 then
        update vectors v set reading = r.reading, read_by = of_reader, read_previous = r.previous_hash
        from unnest(read_ids, readings, previous_hashes) as r (id, reading, previous_hash)
        where v.tenant = of_tenant and v.model = of_model and v.memory_id = r.id and r.id = any(current);
    end if;
    done := array(select id from unnest(done) as id where id = any(current));

    followers := array(
        select m.following_id from memories m
        where m.tenant = of_tenant and m.id = any(done) and m.id = any(memory_ids) and m.following_id is not null);
    neighbours := array(
        select m.following_id from memories m
        where m.tenant = of_tenant and m.id = any(done) and m.following_id is not null);
    -- All at once, in id order; a follower also where it is not enriched yet, so that it is not until this commits.
    perform from stages s
    where s.tenant = of_tenant and s.memory_id = any(done || neighbours) order by s.memory_id for update;
    -- What follows from a former reading is derived anew: the missing stages say so until it is.
    update stages s set enriched = null, extracted = null, republished = at
    where s.tenant = of_tenant and s.memory_id = any(read_ids) and s.memory_id = any(done) and s.message_id is not null;

    return query
    select s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed, s.extracted,
           null::uuid, false
    from mark_stage(of_tenant, done, 'encoded', at, consumers) as s;

    update stages s set indexed = null, republished = at
    where s.tenant = of_tenant and s.memory_id = any(followers) and s.indexed is not null;
    return query
    select f.memory_id, f.message_id, f.user_id, f.conversation_id, f.ingested, f.encoded, f.enriched, f.indexed, f.extracted,
           m.id, false
    from memories m cross join lateral (
        select * from stages
        where tenant = of_tenant and memory_id = m.following_id and enriched is not null and indexed is null offset 0) as f
    where m.tenant = of_tenant and m.id = any(done);

    -- Whoever of two neighbours is saved last, after the other's lock, sees both. The missing stages say so until it is done.
    stale := array(
        select m.id from memories m
        cross join lateral (
            select read_previous from vectors
            where tenant = of_tenant and memory_id = m.id and model = of_model and reading is not null offset 0) as v
        left join lateral (
            select text_hash from vectors where tenant = of_tenant and memory_id = m.preceding_id and vector is not null
            order by model limit 1) as p on true
        where m.tenant = of_tenant and m.id = any(done || neighbours) and v.read_previous is distinct from p.text_hash);
    return query
    update stages s set encoded = null, enriched = null, extracted = null, republished = at
    where s.tenant = of_tenant and s.memory_id = any(stale)
    returning s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed,
              s.extracted, null::uuid, true;
end
$$;
