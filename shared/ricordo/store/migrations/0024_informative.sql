-- Whether a memory tells anything: below 0.5 it is history, and recalled only when that is asked for. What earlier versions
-- have enriched counts as telling until `ricordo backfill` has looked at it.
alter table memories add column informative double precision not null default 1;
