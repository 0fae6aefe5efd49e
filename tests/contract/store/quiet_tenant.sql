-- Fills a tenant in which all was said, and seen to, long ago.
insert into memories (tenant, id, user_id, message_id, conversation_id, kind, content, role, created_at,
                      stored_at, expires_at, archived_at)
select 'y', gen_random_uuid(), 'u-' || n % 500, 'm-' || n, 'c-' || n % 2000, 'message', 'x', 'user', told,
       told, case when n % 2 = 0 then told + interval '1 day' end,
       case when n % 2 = 0 then told + interval '2 days' end
from (select n, timestamptz '2026-01-01' + n * interval '1 minute' as told
      from generate_series(1, 20000) as n) as told;
insert into stages (tenant, memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched,
                    indexed, extracted)
select tenant, id, message_id, user_id, conversation_id, stored_at, stored_at, stored_at, stored_at, stored_at
from memories;
insert into reflection_backlog (tenant, user_id, importance)
select 'y', 'u-' || n, n % 100 from generate_series(1, 500) as n
