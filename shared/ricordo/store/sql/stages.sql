-- name: mark
-- $2 memory ids, $3 stage, $4 instant, $5 the consumer that sets it. Rows are locked in id order, so that workers of
-- different stages never wait for each other in a circle; a stage once set keeps its instant.
-- What the consumer had given up has worked now, and so has ingest: the reasons go, in the same transaction. Only
-- what ingest refused for good stays: that was another body under the same id. What is enriched was counted, for good: see `gather`.
with locked as (
    select memory_id from stages where tenant = $1 and memory_id = any($2::uuid[]) order by memory_id for update
), marked as (
    update stages s
    set encoded = case when $3 = 'encoded' then coalesce(s.encoded, $4) else s.encoded end,
        enriched = case when $3 = 'enriched' then coalesce(s.enriched, $4) else s.enriched end,
        gathered = s.gathered or $3 = 'enriched',
        indexed = case when $3 = 'indexed' then coalesce(s.indexed, $4) else s.indexed end,
        extracted = case when $3 = 'extracted' then coalesce(s.extracted, $4) else s.extracted end
    from locked l
    where s.tenant = $1 and s.memory_id = l.memory_id
    returning s.memory_id, s.message_id, s.user_id, s.conversation_id, s.ingested, s.encoded, s.enriched, s.indexed,
              s.extracted
), settled as (
    delete from dead_letters d using marked m
    where d.tenant = $1 and d.message_id = m.message_id
      and (d.consumer = $5 or d.consumer in ('ingest', 'ingest-bulk') and d.code in ('attempts_exhausted', 'quota_exceeded'))
), settled_made as (
    delete from dead_letters d using marked m
    where d.tenant = $1 and m.message_id is null and d.memory_id = m.memory_id and d.consumer = $5
)
select * from marked

-- name: reworded
-- $2 memory ids, $3 hashes of what they have said: those that say something else. All are held, in the order of their ids.
with held as (
    select m.id, sha256(convert_to(m.content, 'UTF8')) as text_hash
    from memories m where m.tenant = $1 and m.id = any($2::uuid[]) order by m.id for key share
)
select h.id from held h join unnest($2::uuid[], $3::bytea[]) as r (id, text_hash) on r.id = h.id
where h.text_hash <> r.text_hash

-- name: lagging
-- $2 since when, $3 how many. What lacks no more than its facts comes last, so that it hides nothing while the graph is
-- away; the oldest first. What is deferred waits for ingest, and has its
-- time from when it was admitted on. What became a dead letter waits for its replay; a letter of ingest is
-- about another body under the same id, since this one was recorded. Where no message is behind a memory, its letter
-- names the memory.
select memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched, indexed, extracted
from stages
where tenant = $1 and pending and not deferred and ingested < $2 and (admitted_at is null or admitted_at < $2)
  and not exists (
      select 1 from dead_letters d
      where d.tenant = $1 and d.message_id = stages.message_id and d.consumer not in ('ingest', 'ingest-bulk'))
  and not exists (select 1 from dead_letters d where d.tenant = $1 and d.memory_id = stages.memory_id)
order by encoded is not null and enriched is not null and indexed is not null, ingested, memory_id
limit $3

-- name: derived
-- $2 ids of memories without a message.
select * from memories where tenant = $1 and id = any($2::uuid[])
