-- When the archive last took a memory or gave it back; null once that was said again, a while after the move.
alter table memories add column moved_at timestamptz;
create index memories_moved on memories (tenant, moved_at) where moved_at is not null;
