-- Whether a memory is informative: below 0.5 it is history, and recalled only on request. What earlier versions enriched
-- counts as informative until `ricordo backfill` has looked at it.
alter table memories add column informative double precision not null default 1;

-- A database of 23 November 2026 may have the next column already. Here too it comes behind this one.
do $$
begin
    if exists (select from information_schema.columns
               where table_schema = current_schema() and table_name = 'memories' and column_name = 'event_times') then
        alter table memories no force row level security;
        alter table memories add column former_event_times tstzrange[];
        update memories set former_event_times = event_times where event_times <> '{}';
        alter table memories drop column event_times;
        alter table memories add column event_times tstzrange[] not null default '{}';
        update memories set event_times = former_event_times where former_event_times is not null;
        alter table memories drop column former_event_times;
        alter table memories force row level security;
    end if;
end
$$;
