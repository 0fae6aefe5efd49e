-- Erasure on request. $2 is the user.

-- name: write_tombstone
-- $3 scope, $4 key, $5 until when, $6 the request, if there is one. Counts of an earlier, complete erasure are reset. A
-- repeated request erases nothing that was stored since.
insert into tombstones as t (tenant, user_id, scope, key, requested_at, request_ids)
values ($1, $2, $3, $4, $5, array_remove(array[$6::text], null))
on conflict (tenant, scope, user_id, key) do update
set requested_at = greatest(t.requested_at, excluded.requested_at), erased_at = null, request_count = t.request_count + 1,
    erased_counts = case when t.erased_at is null then t.erased_counts else '{}' end,
    request_ids = case when excluded.request_ids <@ t.request_ids then t.request_ids else t.request_ids || excluded.request_ids end
where t.erased_at is null or $6 is null or not excluded.request_ids <@ t.request_ids
returning requested_at

-- name: open
select user_id, scope, key, requested_at from tombstones
where tenant = $1 and erased_at is null and requested_at < $2 order by requested_at

-- name: message
-- $3 message, $4 until when: a message is one, whenever it came; $5 how many
select message_id, memory_id, conversation_id from history
where tenant = $1 and message_id = $3 and user_id is not distinct from $2 and $4::timestamptz is not null limit $5

-- name: memory_scope
-- $3 a memory, $4 a request or null: the message that it belongs to, or what that request has begun to erase.
(select 'message' as scope, message_id as key from memories
 where tenant = $1 and id = $3 and user_id is not distinct from $2 and message_id is not null)
union all
(select scope, key from tombstones
 where tenant = $1 and scope in ('message', 'memory') and user_id = $2 and $4 = any(request_ids))
limit 1

-- name: memory
-- $3 a memory that no message is behind, $4 until when: it is one, whenever it was derived; $5 how many
select null as message_id, id as memory_id, conversation_id from memories
where tenant = $1 and id = $3::uuid and user_id is not distinct from $2 and message_id is null
  and $4::timestamptz is not null limit $5

-- name: conversation
-- $3 conversation, $4 until when it was sent or stored, $5 limit
select message_id, memory_id, conversation_id from history
where tenant = $1 and conversation_id = $3 and user_id is not distinct from $2
  and (sent_at <= $4 or stored_at <= $4)
order by sent_at, message_id limit $5

-- name: user
-- $3 the user, $4 until when it was sent or stored, $5 limit
select message_id, memory_id, conversation_id from history
where tenant = $1 and user_id = $2 and user_id = $3 and (sent_at <= $4 or stored_at <= $4)
order by sent_at, message_id limit $5

-- name: derived
-- $3 ids of memories: what was made of them.
select id from memories
where tenant = $1 and user_id = $2 and message_id is null and source_ids && $3::uuid[] and not (id = any($3::uuid[]))

-- name: referring
-- $3 ids of memories that go: whoever names one of them, in whosever's conversation.
select distinct other as id
from memories m cross join lateral unnest(m.source_ids || array[m.preceding_id, m.following_id]) as other
where m.tenant = $1 and m.user_id = $2 and m.id = any($3::uuid[]) and other is not null and not (other = any($3::uuid[]))

-- name: lock
-- $2 ids of memories to be erased, $3 of those that refer to them; locked in the order of ids. Returned are the direct
-- followers of erased ones.
with locked as (
    select id, coalesce(preceding_id = any($2::uuid[]), false) as behind from memories
    where tenant = $1 and id = any($2::uuid[] || $3::uuid[]) order by id for update
)
select id from locked where behind and id = any($3::uuid[])

-- name: erase
-- $3 ids of memories, $4 ids of messages, $5 the time of the request. Each is deleted with its other rows; through
-- `withdrawn_memories` the points follow, even if the event is lost.
with encoded as (
    select count(distinct memory_id) as vectors from vectors where tenant = $1 and memory_id = any($3::uuid[])
), gone as (
    delete from memories where tenant = $1 and id = any($3::uuid[]) returning id
), messages as (
    delete from history where tenant = $1 and message_id = any($4::text[]) and user_id is not distinct from $2
    returning message_id
), untallied as (
    delete from quota_counters where tenant = $1 and user_id = $2
), unstaged as (
    delete from stages where tenant = $1 and memory_id = any($3::uuid[])
), unencoded as (
    delete from vectors where tenant = $1 and memory_id = any($3::uuid[])
), undrawn as (
    delete from insights where tenant = $1 and user_id = $2 and memory_id = any($3::uuid[])
), unburied as (
    delete from dead_letters where tenant = $1 and (message_id = any($4::text[]) or memory_id = any($3::uuid[]))
), unread as (
    delete from documents where tenant = $1 and memory_id = any($3::uuid[]) returning key
), discarded as (
    insert into discarded_objects (tenant, key, user_id) select distinct $1, key, $2 from unread
    on conflict do nothing
), uncorrected as (
    delete from corrections where tenant = $1 and correcting_id = any($3::uuid[])
), accepted as (
    delete from rejections where tenant = $1 and user_id is not distinct from $2 and message_id = any($4::text[])
), unlisted as (
    -- The others keep their places, so that whoever reads the listing misses none.
    update listings l
    set memory_ids = array(
        select case when one = any($3::uuid[]) then null else one end
        from unnest(l.memory_ids) with ordinality as listed (one, place) order by place)
    where l.tenant = $1 and l.user_id = $2 and l.memory_ids && $3::uuid[]
), unsaid as (
    update unsummarized_conversations set since_message_id = '' where tenant = $1 and user_id = $2 and since_message_id = any($4::text[])
), taken as (
    insert into withdrawn_memories (tenant, memory_id, user_id) select $1, id, $2 from gone order by id
    on conflict (tenant, memory_id) do update set withdrawn_at = now()
), recorded as (
    insert into tombstones (tenant, scope, key, user_id, requested_at, erased_at)
    select $1, 'erased', message_id, $2, $5, now() from messages order by message_id
    on conflict (tenant, scope, user_id, key) do nothing
)
select (select count(*) from gone) + (select count(*) from messages) as rows, (select vectors from encoded) as vectors,
       (select count(*) from unread) as archive

-- name: unlink
-- $2 ids of memories that have gone, $3 of those that named them.
update memories m
set compressed = m.compressed and not coalesce(m.synthesis_id = any($2::uuid[]), false),
    synthesis_id = case when coalesce(m.synthesis_id = any($2::uuid[]), false) then null else m.synthesis_id end,
    preceding_id = case when not coalesce(m.preceding_id = any($2::uuid[]), false) then m.preceding_id else (
        select b.id from memories b
        where b.tenant = $1 and b.conversation_id = m.conversation_id and b.message_id is not null
          and (b.created_at, b.message_id) < (m.created_at, m.message_id)
        order by b.created_at desc, b.message_id desc limit 1) end,
    following_id = case when not coalesce(m.following_id = any($2::uuid[]), false) then m.following_id else (
        select a.id from memories a
        where a.tenant = $1 and a.conversation_id = m.conversation_id and a.message_id is not null
          and (a.created_at, a.message_id) > (m.created_at, m.message_id)
        order by a.created_at, a.message_id limit 1) end
where m.tenant = $1 and m.id = any($3::uuid[])

-- name: begin_again
-- $2 ids of what was read after a memory that has gone: the missing stages say so until it is done.
with locked as (
    select memory_id from stages where tenant = $1 and memory_id = any($2::uuid[]) order by memory_id for update
)
update stages s set encoded = null, indexed = null, extracted = null from locked l where s.tenant = $1 and s.memory_id = l.memory_id
returning s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed,
          s.extracted

-- name: retract
-- $3 ids of messages, or of requests with assertions about facts.
delete from fact_evidence where tenant = $1 and user_id = $2 and message_id = any($3::text[])
returning
-- include: evidence.statement

-- name: retract_read
-- $3 ids of messages: what was read in them, and not what a bot asserts of them.
delete from fact_evidence where tenant = $1 and user_id = $2 and message_id = any($3::text[]) and ordinal >= 0
returning
-- include: evidence.statement

-- name: retract_carried
-- $3 memories whose turn before has gone: what they state of somebody whom their own text does not name.
delete from fact_evidence e using memories m
where m.tenant = $1 and m.id = any($3::uuid[]) and e.tenant = $1 and e.user_id = $2 and e.message_id = m.message_id
  and e.kind = 'said' and e.subject <> 'user' and position(lower(e.subject) in lower(m.content)) = 0
  and exists (select from vectors v where v.tenant = $1 and v.memory_id = m.id and v.read_previous is not null)
returning
-- include: evidence.statement of e

-- name: assertions_without_message
-- $3 keys of subjects, $4 predicates and $5 keys of objects that were retracted: requests in which the user confirmed or
-- corrected a fact of them, where no message states a value of the request any more.
select distinct a.message_id
from unnest($3::text[], $4::text[], $5::text[]) as gone (subject_key, predicate, object_key)
join fact_evidence a on a.tenant = $1 and a.user_id = $2 and a.subject_key = gone.subject_key
                    and a.predicate = gone.predicate and a.object_key = gone.object_key and a.kind <> 'said'
where not exists (
    select from fact_evidence own
    join fact_evidence said on said.tenant = $1 and said.user_id = $2 and said.subject_key = own.subject_key
                           and said.predicate = own.predicate and said.object_key = own.object_key and said.kind = 'said'
    where own.tenant = $1 and own.message_id = a.message_id)

-- name: retract_all
-- $3 until when, $4 limit. Of a user, including assertions; ordered by subject, so that a part is folded again once.
with going as (
    select message_id, ordinal from fact_evidence
    where tenant = $1 and user_id = $2 and sent_at <= $3
    order by subject_key, predicate, object_key limit $4
)
delete from fact_evidence e using going g
where e.tenant = $1 and e.user_id = $2 and e.message_id = g.message_id and e.ordinal = g.ordinal
returning
-- include: evidence.statement of e

-- name: summarize_again
-- $3 conversations: what is left of their sessions is summed up anew, $4 now.
insert into unsummarized_conversations as u (tenant, user_id, conversation_id, since, since_message_id, stored_at, closed)
select $1, $2, m.conversation_id, min(m.created_at), '', $4, true
from memories m
where m.tenant = $1 and m.user_id = $2 and m.conversation_id = any($3::text[]) and m.message_id is not null
group by m.conversation_id order by m.conversation_id
on conflict (tenant, user_id, conversation_id) do update
set since = least(u.since, excluded.since), closed = true, revision = u.revision + 1, since_message_id = ''

-- name: count
-- $3 scope, $4 key, $5 what to add: {"rows": 1, ...}
update tombstones t
set erased_counts = (select jsonb_object_agg(name, coalesce((t.erased_counts ->> name)::bigint, 0) + more::bigint)
              from jsonb_each_text($5::jsonb) as e (name, more))
where tenant = $1 and user_id = $2 and scope = $3 and key = $4
returning erased_counts

-- name: notes
-- $3 conversation or null for all of the user, $4 until when
delete from notes
where tenant = $1 and user_id = $2 and ($3::text is null or conversation_id = $3) and set_at <= $4

-- name: ends
-- $3 conversation or null for all of the user, $4 until when
delete from session_ends
where tenant = $1 and user_id = $2 and ($3::text is null or conversation_id = $3) and ended_at <= $4

-- name: unsummarized
-- $3 conversation or null for all of the user: sessions of which nothing is left.
delete from unsummarized_conversations u
where tenant = $1 and user_id = $2 and ($3::text is null or conversation_id = $3) and not exists (
    select from history h
    where h.tenant = $1 and h.conversation_id = u.conversation_id and h.user_id is not distinct from u.user_id)

-- name: other_rows_of_user
-- Other rows of a user; $3 until when. Requests to forget stay, without contents: a repeated one must not erase what was
-- stored since.
with unasked as (
    delete from requests where tenant = $1 and user_id = $2 and handled_at <= $3 and not (id = any(array(
        select unnest(request_ids) from tombstones
        where tenant = $1 and user_id = $2 and scope in ('message', 'memory', 'conversation', 'user'))))
), undecided as (
    delete from identity_decisions where tenant = $1 and user_id = $2 and decided_at <= $3
), accepted as (
    delete from rejections where tenant = $1 and user_id = $2 and rejected_at <= $3
), unlisted as (
    delete from listings where tenant = $1 and user_id = $2 and created_at <= $3
), weightless as (
    delete from reflection_backlog where tenant = $1 and user_id = $2
        and not exists (select from history where tenant = $1 and user_id = $2)
)
delete from insights where tenant = $1 and user_id = $2
  and not exists (select from memories m where m.tenant = $1 and m.id = memory_id)

-- name: end
-- $3 scope, $4 key, $5 until when: unless it was requested again since. Its requests return this outcome from now on.
with ended as (
    update tombstones set erased_at = now()
    where tenant = $1 and user_id = $2 and scope = $3 and key = $4 and requested_at <= $5
    returning request_ids, erased_counts
)
update requests r set outcome = e.erased_counts from ended e
where r.tenant = $1 and r.user_id is not distinct from $2 and r.id = any(e.request_ids) and r.outcome = '{}'

-- name: letter
-- $2 consumer, $3 subject, $4 sequence: the reason of a dead letter.
delete from dead_letters where tenant = $1 and consumer = $2 and subject = $3 and sequence = $4

-- name: decisions_of_others
-- Decisions of a model about two names, and open ones.
select first, second from identity_decisions where tenant = $1 and user_id = $2 and decided_by <> 'user'

-- name: drop_decisions
-- $3, $4 pairs of names: nobody is called so any more.
delete from identity_decisions
where tenant = $1 and user_id = $2 and decided_by <> 'user'
  and (first, second) in (select * from unnest($3::text[], $4::text[]))

-- name: discard
-- $2 key, $3 user: a document that ingest kept, and may never have recorded.
insert into discarded_objects (tenant, key, user_id) values ($1, $2, $3) on conflict do nothing

-- name: discarded
-- $2 how many: of whose bytes nobody knows any more
select key from discarded_objects where tenant = $1 order by key limit $2

-- name: deleted
-- $2 keys
delete from discarded_objects where tenant = $1 and key = any($2::text[])
