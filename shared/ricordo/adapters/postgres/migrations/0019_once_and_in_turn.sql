-- The memory that a dead letter is about, where no message is behind it.
alter table dead_letters add column memory_id uuid;
create index dead_letters_of_memory on dead_letters (tenant, memory_id) where memory_id is not null;
