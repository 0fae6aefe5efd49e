-- What belongs to one memory. $2 user, $3 memory.

-- name: facts
-- $3 message. A fact names its latest hundred messages: of one that has more, older ones are found by their statements.
select
-- include: fact_columns.columns
from facts f
where f.tenant = $1 and f.user_id = $2
  and f.subject_key = any(array(select e.subject_key from fact_evidence e where e.tenant = $1 and e.message_id = $3))
  and (f.message_ids @> array[$3::text]
       or cardinality(f.message_ids) >= 100 and exists (
           select from fact_evidence e
           where e.tenant = $1 and e.message_id = $3 and e.subject_key = f.subject_key and e.predicate = f.predicate
             and e.object_key = f.object_key and e.polarity <> 'denied'
             and e.sent_at between f.first_seen and f.last_reinforced))
order by f.confidence desc, f.last_reinforced desc, f.id limit 100

-- name: changes
-- $4 its decay factor. Nothing is logged: rows tell what changed a memory, as long as they are kept.
with memory as materialized (
    select m.*, s.stored_at as compressed_at, h.content as sent
    from memories m
    left join memories s on s.tenant = $1 and s.id = m.synthesis_id
    left join history h on h.tenant = $1 and h.message_id = m.message_id
    where m.tenant = $1 and m.id = $3 and m.user_id is not distinct from $2
), uses as (
    select coalesce(u.accessed_at, u.updated_at) as at, u.recall_id, u.verdict
    from memory_uses u where u.tenant = $1 and u.memory_id = (select id from memory)
    order by 1 desc limit 100
), correcting as (
    select c.sent_at, c.correcting_id from corrections c where c.tenant = $1 and c.corrected_id = (select id from memory)
    order by c.sent_at desc limit 100
)
select 'used' as change, at, recall_id, verdict, null::uuid as memory_id, null as content, null::float8 as decay_factor,
       null as reason
from uses
union all
select 'corrected', sent_at, null, null, correcting_id, null, null, null from correcting
union all
select 'compressed', compressed_at, null, null, synthesis_id, null, null, null from memory where synthesis_id is not null
union all
select 'archived', archived_at, null, null, null, null, null, coalesce(archive_reason, 'decay')
from memory where archived_at is not null
union all
select 'decayed', null, null, null, null, null, $4::float8, null where $4 < 1
union all
select 'corrected', null, null, null, null, sent, null, null
from memory where source = 'user_correction' and sent is distinct from content
order by at nulls last, change, memory_id, recall_id

-- name: metadata
-- $3 message.
select metadata from history where tenant = $1 and user_id = $2 and message_id = $3
