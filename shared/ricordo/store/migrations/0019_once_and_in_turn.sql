-- The memory that a dead letter is about, where no message is behind it.
alter table dead_letters add column memory_id uuid;
create index dead_letters_of_memory on dead_letters (tenant, memory_id) where memory_id is not null;

-- Whether what a user said was counted towards a reflection. A stage can be taken back; this never is. What has been enriched
-- was counted; of the rest, which is little, what was enriched before and taken back counts once more.
alter table stages add column gathered boolean not null default true;
alter table stages alter column gathered set default false;
-- Forced, the policy would ask the owner for the tenant: this is about all of them.
alter table stages no force row level security;
update stages set gathered = false where pending and enriched is null;
alter table stages force row level security;

-- Documents are read of one user after the other, of each the oldest first.
drop index documents_waiting;
create index documents_waiting on documents (tenant, user_id, stored_at, memory_id) where state = 'waiting';
