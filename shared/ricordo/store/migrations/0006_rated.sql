-- Which version derived the importance; empty where that is what derived the rest. It may be raised by itself.
alter table memories add column rated_by text not null default '';
