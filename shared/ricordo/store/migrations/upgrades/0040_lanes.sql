-- The lane of a message: that of what an earlier version took from a flood is not known any more.
drop function if exists record_messages(text, jsonb, jsonb, text[], timestamptz, bigint, bigint, timestamptz);
alter table stages add column bulk boolean not null default false;
alter table stages no force row level security;
alter table memories no force row level security;
update stages s set bulk = true from memories m
where s.pending and m.tenant = s.tenant and m.id = s.memory_id and m.source = 'import';
alter table stages force row level security;
alter table memories force row level security;
