-- Functions of knowledge, each one round trip. Applied with `functions.sql`.

-- Returns messages, and what corrects them, be it by way of others: each as `read`, with what it corrects itself before it,
-- the nearest last. No message corrects itself, be it by way of others: where rows say so, the chain ends there.
create or replace function messages_to_read(of_tenant text, memory_ids uuid[]) returns table (
    read uuid, memory_id uuid, message_id text, user_id text, role text, speaker text, language text, content text,
    created_at timestamptz, timezone text
) language plpgsql stable as $$
#variable_conflict use_column
begin
    perform set_config('app.tenant', of_tenant, true);
    return query
    with recursive requested as (
        select unnest(memory_ids) as id
        union
        select c.correcting_id from requested r join corrections c on c.tenant = of_tenant and c.corrected_id = r.id
    ), chain as (
        select id as read, id, 0 as place from requested
        union all
        select chain.read, c.corrected_id, chain.place + 1
        from chain join corrections c on c.tenant = of_tenant and c.correcting_id = chain.id and c.corrected_id is not null
    ) cycle id set again using way
    select chain.read, m.id, m.message_id, m.user_id, m.role, m.speaker, m.language, m.content, m.created_at, m.timezone
    from chain join memories m on m.tenant = of_tenant and m.id = chain.id
    where m.message_id is not null and not chain.again
    order by chain.read, chain.place desc;
end
$$;

-- Locks users (sorted, so that whoever needs several takes them in the same order) and memories until the transaction ends.
-- Returns, as they are then, the memories whose text has another hash, and the rejected readings of messages.
create or replace function lock_messages(
    of_tenant text, users text[], memory_ids uuid[], text_hashes bytea[], message_ids text[]
) returns table (reworded_id uuid, message_id text, subject text, predicate text, object text, quote text)
language plpgsql as $$
#variable_conflict use_column
begin
    perform pg_advisory_xact_lock(hashtextextended(of_tenant || '//' || one, 1)) from unnest(users) as one;
    return query
    with locked as (
        select m.id, sha256(convert_to(m.content, 'UTF8')) as text_hash
        from memories m where m.tenant = of_tenant and m.id = any(memory_ids) order by m.id for key share
    )
    select l.id, null, null, null, null, null
    from locked l join unnest(memory_ids, text_hashes) as r (id, text_hash) on r.id = l.id
    where l.text_hash <> r.text_hash;
    return query
    select null::uuid, r.message_id, r.subject, r.predicate, r.object, r.quote
    from rejections r where r.tenant = of_tenant and r.message_id = any(message_ids);
end
$$;
