-- Inserts rows that cleanup deletes: $4 of each kind, which came at $3.
with inbox as (
    insert into inbox (tenant, consumer, event_id, handled_at)
    select $1, 'a', gen_random_uuid(), $3 from generate_series(1, $4)
), uses as (
    insert into memory_uses (tenant, memory_id, recall_id, accessed_at, updated_at)
    select $1, $2, gen_random_uuid(), $3, $3 from generate_series(1, $4)
), requests as (
    insert into requests (tenant, id, user_id, request_hash, handled_at)
    select $1, 'r-' || n, 'u-1', '', $3 from generate_series(1, $4) as n
), listings as (
    insert into listings (tenant, listing_id, chunk, user_id, memory_ids, created_at)
    select $1, gen_random_uuid(), 0, 'u-1', '{}', $3 from generate_series(1, $4)
)
insert into dead_letters (tenant, consumer, subject, sequence, code, reason, attempts, died_at)
select $1, 'a', 's', n, 'c', 'r', 1, $3 from generate_series(1, $4) as n
