-- Fairness: what one user says in a flood waits until workers have room for it, so that nobody waits behind it.
alter table stages add column deferred boolean not null default false;
create index stages_deferred on stages (tenant, user_id, ingested) where deferred;
