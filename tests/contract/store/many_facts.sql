-- Inserts facts of another tenant, of which few are alike.
insert into facts (tenant, id, user_id, subject, subject_key, predicate, object, object_key, confidence,
                   first_seen, last_reinforced, valid_from, valid_to, message_ids, version)
select 'y', gen_random_uuid(), 'u-1', subject, subject,
       case when n % 2000 = 0 then 'born_in' else 'likes' end, 'thing ' || n, 'thing ' || n, 1,
       told, told, told, case when n % 10 > 0 then told + interval '1 day' end, '{}', 1
from (select n, case when n % 2 = 0 then 'user' else 'friend ' || n % 3000 end as subject,
             timestamptz '2026-01-01' + n * interval '1 minute' as told
      from generate_series(1, 20000) as n) as told
