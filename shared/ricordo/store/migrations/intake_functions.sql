-- Records the messages of a batch in one round trip; see `stage_functions.sql`.

drop type if exists incoming_message cascade;
create type incoming_message as (
    n integer, message_id text, memory_id uuid, user_id text, conversation_id text, role text, speaker text, content text,
    digest text, sent_at timestamptz, timezone text, utc_offset text, language text, metadata jsonb, participants text[], location text,
    kind text, importance double precision, tags text[], refs text[], expires_at timestamptz, trust double precision, source text,
    memorable boolean, bulk boolean);

-- Records the messages of a batch: history, memories with their neighbours in time, stages, quotas, documents.
-- `batch` is one JSON array, in which `n` is the place of each; `documents` one of the attached documents. `locks` are
-- the conversations and users, sorted, so that whoever needs several takes them in the same order: a conversation, because
-- links connect its messages; a user, because a zone holds for all that comes after it. Who writes a tombstone takes the
-- same locks before the erasure, so that nothing slips in between.
-- Returns a row for each message, and one without `n` for each earlier message whose time zone these have changed. The
-- status follows from the state, so that a repeat returns the same: kept, conflict, forgotten, too_many, too_many_today.
create or replace function record_messages(
    of_tenant text, batch jsonb, documents jsonb, locks text[], at timestamptz, max_kept bigint, max_kept_a_day bigint,
    today timestamptz
) returns table (
    n integer, status text, memory_id uuid, message_id text, user_id text, conversation_id text, ingested timestamptz,
    encoded timestamptz, enriched timestamptz, indexed timestamptz, extracted timestamptz, bulk boolean
) language plpgsql as $$
#variable_conflict use_column
declare
    messages incoming_message[] := array(
        select m from jsonb_populate_recordset(null::incoming_message, batch) as m order by m.n);
    forgotten integer[];
    refused integer[] := '{}';
    refused_today integer[] := '{}';
    fresh integer[];
    rezoned uuid[];
begin
    perform set_config('app.tenant', of_tenant, true);
    insert into tenants (tenant) values (of_tenant) on conflict do nothing;
    perform pg_advisory_xact_lock(hashtextextended(of_tenant || '/' || name, 0)) from unnest(locks) as name;

    -- Once: whoever writes a tombstone holds these locks.
    forgotten := array(
        select m.n from unnest(messages) as m
        where is_forgotten(of_tenant, m.user_id, m.conversation_id, m.message_id, m.sent_at));

    if max_kept is not null or max_kept_a_day is not null then
        perform count_messages(of_tenant, array(select distinct m.user_id from unnest(messages) as m order by 1), today);
        select coalesce(array_agg(q.n) filter (where not q.of_a_day), '{}'), coalesce(array_agg(q.n) filter (where q.of_a_day), '{}')
        into refused, refused_today
        from beyond_quota(of_tenant, messages, forgotten, max_kept, max_kept_a_day, today) as q;
    end if;

    -- The first of each id in the batch, unless a tombstone covers it or the id is taken.
    with offered as (
        select distinct on (m.message_id) m.*
        from unnest(messages) as m
        where m.n <> all(refused) and m.n <> all(refused_today) and m.n <> all(forgotten)
        order by m.message_id, m.n
    ), kept as (
        insert into history (tenant, message_id, memory_id, user_id, conversation_id, role, speaker, content, digest, sent_at,
                             timezone, utc_offset, language, metadata, stored_at)
        select of_tenant, o.message_id, o.memory_id, o.user_id, o.conversation_id, o.role, o.speaker, o.content,
               decode(o.digest, 'hex'), o.sent_at, o.timezone, o.utc_offset, o.language, o.metadata, at
        from offered o order by o.message_id
        on conflict (tenant, message_id) do nothing
        returning message_id
    )
    select array_agg(o.n) into fresh from offered o join kept k on k.message_id = o.message_id;

    if fresh is not null then
        perform keep_new_messages(of_tenant, array(select m from unnest(messages) as m where m.n = any(fresh) order by m.n), at);
        update quota_counters t
        set message_count = t.message_count + k.number, day_start = today,
            day_count = case when t.day_start = today then t.day_count else 0 end + k.number
        from (select m.user_id, count(*) as number from unnest(messages) as m where m.n = any(fresh) group by 1) as k
        where t.tenant = of_tenant and t.user_id = k.user_id;
        insert into documents (tenant, memory_id, user_id, name, media_type, key, size, stored_at)
        select of_tenant, d.memory_id, d.user_id, d.name, d.media_type, d.key, d.size, at
        from jsonb_to_recordset(documents) as d (
            n integer, memory_id uuid, user_id text, name text, media_type text, key text, size bigint)
        where d.n = any(fresh) order by d.memory_id
        on conflict (tenant, memory_id) do nothing;
        rezoned := update_neighbours(of_tenant, array(select m from unnest(messages) as m where m.n = any(fresh)));
    end if;

    return query
    select m.n,
           case when m.n = any(refused) then 'too_many' when m.n = any(refused_today) then 'too_many_today'
                when m.n = any(forgotten) then 'forgotten'
                when h.digest is distinct from decode(m.digest, 'hex') then 'conflict' else 'kept' end,
           s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed, s.extracted,
           s.bulk
    from unnest(messages) as m
    left join lateral (
        select digest from history where tenant = of_tenant and message_id = m.message_id offset 0) as h on true
    left join lateral (select * from stages where tenant = of_tenant and memory_id = m.memory_id offset 0) as s on true;

    -- It is known of each message that was kept out, too, that it is forgotten.
    insert into tombstones (tenant, scope, key, user_id, requested_at, erased_at)
    select distinct of_tenant, 'erased', m.message_id, m.user_id, at, at
    from unnest(messages) as m
    where m.n = any(forgotten)
      and not exists (select from tombstones t
                      where t.tenant = of_tenant and t.scope = 'message' and t.user_id = m.user_id and t.key = m.message_id)
    order by m.message_id, m.user_id
    on conflict (tenant, scope, user_id, key) do nothing;

    -- Enrichment has to see these once more; the missing stage says so until it has.
    return query
    with locked as (
        select s.memory_id from stages s
        where s.tenant = of_tenant and s.memory_id = any(rezoned) order by s.memory_id for update
    )
    update stages s set enriched = null
    where s.tenant = of_tenant and s.memory_id = any(array(select l.memory_id from locked l))
    returning null::integer, 'rezoned', s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded,
              s.enriched, s.indexed, s.extracted, s.bulk;
end
$$;

-- Counts the messages of users without a row in `quota_counters`, under their locks.
create or replace function count_messages(of_tenant text, users text[], today timestamptz) returns void language sql as $$
with unknown as materialized (
    select user_id from unnest(users) as u (user_id)
    where not exists (select from quota_counters t where t.tenant = of_tenant and t.user_id = u.user_id)
)
insert into quota_counters (tenant, user_id, message_count, day_start, day_count)
select of_tenant, u.user_id, c.message_count, today, c.day_count
from unknown u cross join lateral (
    select count(*) as message_count, count(*) filter (where h.stored_at >= today) as day_count
    from history h where h.tenant = of_tenant and h.user_id = u.user_id) as c
order by u.user_id
on conflict (tenant, user_id) do nothing
$$;

-- Returns the places of the messages that there is no room for, and whether the day has less of it. What is kept or
-- forgotten already takes none.
create or replace function beyond_quota(
    of_tenant text, messages incoming_message[], forgotten integer[], max_kept bigint, max_kept_a_day bigint,
    today timestamptz
) returns table (n integer, of_a_day boolean) language sql stable as $$
with offered as (
    select distinct on (m.message_id) m.message_id, m.user_id, m.n
    from unnest(messages) as m
    where m.n <> all(forgotten)
      and not exists (select from history h where h.tenant = of_tenant and h.message_id = m.message_id)
    order by m.message_id, m.n
), ranked as (
    select message_id, user_id, row_number() over (partition by user_id order by n) as place from offered
), beyond as (
    select r.message_id, coalesce(room.day < room.whole, room.whole is null) as of_a_day
    from ranked r
        join quota_counters t on t.tenant = of_tenant and t.user_id = r.user_id
        cross join lateral (
            select max_kept - t.message_count as whole,
                   max_kept_a_day - case when t.day_start = today then t.day_count else 0 end as day) as room
    where r.place > least(room.whole, room.day)
)
select m.n, b.of_a_day from unnest(messages) as m join beyond b on b.message_id = m.message_id
$$;

-- Writes memories, stages and open sessions of new messages. Each comes with those before and after it in its
-- conversation, by time and id, be they there or new as well; and in the zone that the user named in it or last before it,
-- else in that of its own offset. One that belongs to the history only has nothing to wait for: all its stages are done.
create or replace function keep_new_messages(of_tenant text, messages incoming_message[], at timestamptz)
returns void language sql as $$
with fresh as (
    select m.*, lag(m.memory_id) over story as earlier_id, lag(m.sent_at) over story as earlier_at,
           lag(m.message_id) over story as earlier_message, lead(m.memory_id) over story as later_id,
           lead(m.sent_at) over story as later_at, lead(m.message_id) over story as later_message
    from unnest(messages) as m where m.memorable
    window story as (partition by m.conversation_id order by m.sent_at, m.message_id)
)
insert into memories (tenant, id, user_id, message_id, conversation_id, kind, content, language, role, speaker,
                      created_at, timezone, preceding_id, following_id, participants, stated_participants, location,
                      importance, stated_kind, stated_importance, tags, refs, expires_at, trust, source, stored_at)
select of_tenant, f.memory_id, f.user_id, f.message_id, f.conversation_id, coalesce(f.kind, 'message'), f.content,
       coalesce(f.language, ''), f.role, f.speaker, f.sent_at,
       coalesce(f.timezone, (
           select h.timezone from history h
           where h.tenant = of_tenant and h.user_id = f.user_id and h.timezone is not null
             and (h.sent_at, h.message_id) <= (f.sent_at, f.message_id)
           order by h.sent_at desc, h.message_id desc limit 1), f.utc_offset, 'UTC'),
       case when (before.created_at, before.message_id) > (f.earlier_at, f.earlier_message) then before.id
            else coalesce(f.earlier_id, before.id) end,
       case when (after.created_at, after.message_id) < (f.later_at, f.later_message) then after.id
            else coalesce(f.later_id, after.id) end,
       f.participants, f.participants, f.location, coalesce(f.importance, 0.5), f.kind, f.importance, f.tags, f.refs,
       f.expires_at, f.trust, f.source, at
from fresh f
left join lateral (
    select m.id, m.created_at, m.message_id from memories m
    where m.tenant = of_tenant and m.conversation_id = f.conversation_id and m.message_id is not null
      and (m.created_at, m.message_id) < (f.sent_at, f.message_id)
    order by m.created_at desc, m.message_id desc limit 1) as before on true
left join lateral (
    select m.id, m.created_at, m.message_id from memories m
    where m.tenant = of_tenant and m.conversation_id = f.conversation_id and m.message_id is not null
      and (m.created_at, m.message_id) > (f.sent_at, f.message_id)
    order by m.created_at, m.message_id limit 1) as after on true
order by f.memory_id
on conflict (tenant, id) do nothing;

insert into stages (tenant, memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted, bulk)
select of_tenant, m.memory_id, m.message_id, m.user_id, m.conversation_id, at, done, done, done, done, m.bulk
from unnest(messages) as m
    cross join lateral (select case when not m.memorable then at end as done) as finished
order by m.memory_id
on conflict (tenant, memory_id) do nothing;

with sent as (
    select distinct on (m.user_id, m.conversation_id) m.user_id, m.conversation_id, m.sent_at as since, m.message_id
    from unnest(messages) as m where m.memorable
    order by m.user_id, m.conversation_id, m.sent_at, m.message_id
)
insert into unsummarized_conversations as u (tenant, user_id, conversation_id, since, since_message_id, stored_at, closed)
select of_tenant, s.user_id, s.conversation_id, s.since, s.message_id, at, exists (
           select from session_ends e
           where e.tenant = of_tenant and e.user_id = s.user_id and e.conversation_id = s.conversation_id
             and e.ended_at >= s.since)
from sent s order by s.user_id, s.conversation_id
on conflict (tenant, user_id, conversation_id) do update
set since = least(u.since, excluded.since),
    since_message_id = case when (excluded.since, excluded.since_message_id) < (u.since, u.since_message_id)
                         then excluded.since_message_id else u.since_message_id end,
    stored_at = greatest(u.stored_at, excluded.stored_at), closed = u.closed or excluded.closed, revision = u.revision + 1;
$$;

-- Sets what the arrival of new messages changes in the memories around them: that they now come before or after these;
-- and the zone of what follows a message that names one, up to the next that does. Returns the memories with another zone.
-- Rows are locked in the order of their ids, which is everybody's order.
create or replace function update_neighbours(of_tenant text, messages incoming_message[]) returns uuid[] language sql as $$
with fresh as (
    select id, preceding_id, following_id from memories
    where tenant = of_tenant and id = any(array(select m.memory_id from unnest(messages) as m))
), adjacent as (
    select preceding_id as id, null::uuid as preceding_id, id as following_id from fresh
    where preceding_id <> all(array(select m.memory_id from unnest(messages) as m))
    union all
    select following_id, id, null from fresh
    where following_id <> all(array(select m.memory_id from unnest(messages) as m))
), spans as materialized (  -- a bound that is computed where it is compared reaches no index past row-level security
    select h.user_id, h.timezone, h.sent_at, h.message_id,
           coalesce(next.sent_at, 'infinity') as end_at, next.message_id as end_id
    from unnest(messages) as h
    left join lateral (
        select n.sent_at, n.message_id from history n
        where n.tenant = of_tenant and n.user_id = h.user_id and n.timezone is not null
          and (n.sent_at, n.message_id) > (h.sent_at, h.message_id)
        order by n.sent_at, n.message_id limit 1) as next on true
    where h.timezone is not null
), zoned as (
    select m.id, s.timezone
    from spans s
    cross join lateral (
        select m.id from memories m
        where m.tenant = of_tenant and m.user_id = s.user_id and m.message_id is not null
          and m.created_at >= s.sent_at and m.created_at <= s.end_at
          and (m.created_at, m.message_id) > (s.sent_at, s.message_id)
          and (s.end_id is null or (m.created_at, m.message_id) < (s.end_at, s.end_id))
          and m.timezone <> s.timezone
        offset 0) as m
), changed as (
    select id, (array_agg(preceding_id) filter (where preceding_id is not null))[1] as preceding_id,
           (array_agg(following_id) filter (where following_id is not null))[1] as following_id,
           (array_agg(timezone) filter (where timezone is not null))[1] as timezone
    from (select id, preceding_id, following_id, null as timezone from adjacent
          union all select id, null, null, timezone from zoned) as each
    group by id
), locked as (
    select m.id, c.preceding_id, c.following_id, c.timezone
    from changed c join memories m on m.tenant = of_tenant and m.id = c.id and m.id = any(array(select id from changed))
    order by m.id for update of m
), placed as (
    update memories m
    set preceding_id = coalesce(l.preceding_id, m.preceding_id),
        following_id = coalesce(l.following_id, m.following_id),
        timezone = coalesce(l.timezone, m.timezone),
        -- what was derived from the former zone does not count any more
        local_date = case when l.timezone is null then m.local_date end
    from locked l
    where m.tenant = of_tenant and m.id = l.id and m.id = any(array(select id from locked))
    returning m.id, l.timezone is not null as rezoned
)
select coalesce(array_agg(id) filter (where rezoned), '{}') from placed
$$;
