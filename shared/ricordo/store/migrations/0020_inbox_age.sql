-- Events that were handled are dropped by age, one tenant after the other.
drop index inbox_age;
create index inbox_age on inbox (tenant, handled_at);
