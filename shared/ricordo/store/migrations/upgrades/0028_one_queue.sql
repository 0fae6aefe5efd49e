-- JetStream is the only queue: no message waits in a row any more. What was deferred lacks its stages, so that
-- reconciliation publishes it.
drop index stages_deferred;
alter table stages drop column deferred, drop column admitted_at, add column republished timestamptz;
