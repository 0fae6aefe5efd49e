-- The times of a memory ("Wednesday at 9:30 the dentist, Saturday the concert"), in the order of the text, each with its
-- width. The first is in event_start and event_end too.
alter table memories add column event_times tstzrange[] not null default '{}';
-- Forced, the policy would ask the owner for a tenant: this is about all of them.
alter table memories no force row level security;
update memories
set event_times = array[tstzrange(event_start, event_end)]
where event_start is not null and event_end > event_start;
alter table memories force row level security;
