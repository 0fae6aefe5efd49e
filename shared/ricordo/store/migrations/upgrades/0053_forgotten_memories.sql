-- A derived memory can be forgotten alone.
alter table tombstones drop constraint tombstones_scope_check;
alter table tombstones add constraint tombstones_scope_check
check (scope in ('message', 'memory', 'conversation', 'user', 'erased'));
