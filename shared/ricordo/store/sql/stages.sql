-- name: reconciling
-- Whether this process may reconcile now: one at a time does.
select pg_try_advisory_xact_lock(hashtextextended($1, 3))

-- name: lost
-- $2 now, $3 how many, and the time of the oldest unsettled event of encode $4, enrichment $5, index $6 and knowledge $7,
-- null where there is none; $9 to $12 are these consumers. A stage is overdue $8 after the one before it. Its event is lost
-- if it is older than all that are unsettled, by $8 again as it was published after its row was written, or if ten times as
-- long has passed on the live lane; on the bulk lane there may be any backlog. A stage of which a consumer that sets it has a dead letter waits for the replay. Where no message is
-- behind a memory, its letter names the memory.
with overdue as (
    select s.memory_id, s.ingested, lost.encoded, lost.enriched, lost.indexed, lost.extracted
    from stages s
    cross join lateral (
        select array_agg(coalesce(
                   at < $2::timestamptz - $8::interval
                   and (e.oldest is null or at < e.oldest - $8 or (not s.bulk and at < $2 - 10 * $8))
                   and not exists (
                       select from dead_letters d
                       where d.tenant = $1 and d.message_id = s.message_id and d.consumer = any(e.consumers))
                   and not exists (
                       select from dead_letters d
                       where d.tenant = $1 and d.memory_id = s.memory_id and d.consumer = any(e.consumers)), false)
                   order by e.n) as flags
        from (values (1, case when s.encoded is null then s.ingested end, $4::timestamptz, $9::text[]),
                     (2, case when s.enriched is null then s.encoded end, $5::timestamptz, $10::text[]),
                     (3, case when s.indexed is null then s.enriched end, $6::timestamptz, $11::text[]),
                     (4, case when s.extracted is null then s.encoded end, $7::timestamptz, $12::text[]))
            as e (n, since, oldest, consumers)
        cross join lateral (select case when e.since is not null then greatest(e.since, s.republished) end) as last (at)
    ) as each
    cross join lateral (select flags[1], flags[2], flags[3], flags[4]) as lost (encoded, enriched, indexed, extracted)
    where s.tenant = $1 and s.pending and s.ingested < $2 - $8
      and (lost.encoded or lost.enriched or lost.indexed or lost.extracted)
    -- what lacks no more than its facts comes last, so that it hides nothing while no knowledge worker runs
    order by s.encoded is not null and s.enriched is not null and s.indexed is not null, s.ingested, s.memory_id
    limit $3
), locked as (
    select s.memory_id from stages s
    where s.tenant = $1 and s.memory_id = any(array(select memory_id from overdue)) order by s.memory_id for update
)
update stages s set republished = $2
from overdue o
where s.tenant = $1 and s.memory_id = o.memory_id and s.memory_id = any(array(select memory_id from locked))
returning s.*, o.encoded as encoded_lost, o.enriched as enriched_lost, o.indexed as indexed_lost,
          o.extracted as extracted_lost

-- name: derived
-- $2 ids of memories without a message.
select * from memories where tenant = $1 and id = any($2::uuid[])

-- name: models
select model, dimensions from embedding_models where tenant = $1 order by model
