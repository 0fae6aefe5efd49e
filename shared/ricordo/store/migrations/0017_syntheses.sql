-- What a memory was condensed into: a synthesis rests on what its sources say, and goes when that changes.
alter table memories add column synthesis_id uuid;
