-- What set off a feeling; empty until a backfill reads a memory again. Functions are created anew after this step.
alter table memories add column emotional_trigger text not null default '';
