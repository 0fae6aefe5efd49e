-- When the archive last took a memory or gave it back; null once those who show it have surely heard of it.
alter table memories add column moved_at timestamptz;
create index memories_moved on memories (tenant, moved_at) where moved_at is not null;
