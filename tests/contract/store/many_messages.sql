-- Inserts what another tenant has said.
insert into history (tenant, message_id, memory_id, user_id, conversation_id, role, speaker, content, digest,
                     sent_at, timezone, metadata, stored_at)
select 'y', 'm-' || n, gen_random_uuid(), 'u-1', 'c-1', 'user', '', 'x', '', now() - n * interval '1 minute',
       case when n % 10 = 0 then 'Europe/Rome' end, '{}', now()
from generate_series(1, 6000) as n;
insert into memories (tenant, id, user_id, message_id, conversation_id, kind, content, role, created_at,
                      stored_at)
select tenant, memory_id, user_id, message_id, conversation_id, 'message', content, role, sent_at, stored_at
from history where tenant = 'y';
insert into stages (tenant, memory_id, message_id, user_id, conversation_id, ingested)
select tenant, memory_id, message_id, user_id, conversation_id, stored_at from history where tenant = 'y';
