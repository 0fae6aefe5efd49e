-- A memory tells of several times ("Wednesday at 9:30 the dentist, Saturday the concert"): all of them, in the order of the
-- text, each with its width. The first stands in event_start and event_end too.
alter table memories add column event_times tstzrange[] not null default '{}';
update memories
set event_times = array[tstzrange(event_start, event_end)]
where event_start is not null and event_end > event_start;
