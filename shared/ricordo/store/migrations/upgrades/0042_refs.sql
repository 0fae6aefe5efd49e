-- The bot's own entities that a memory is about; functions are created anew after this step.
alter table memories add column refs text[] not null default '{}';
