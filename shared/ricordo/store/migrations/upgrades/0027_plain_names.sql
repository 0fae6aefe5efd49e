-- Names tables, columns, constraints and functions in plain words, and drops three columns that were always empty.
-- `functions.sql` creates the functions and triggers anew afterwards.
drop trigger unlink_erased on memories;
drop function unlink_erased();
drop trigger evidence_was_added on fact_evidence;
drop trigger evidence_was_replaced on fact_evidence;
drop trigger evidence_was_erased on fact_evidence;
drop function evidence_has_changed();
drop function is_forgotten(text, text, text, text, timestamptz);
drop function is_being_erased(text, text, text);
drop function at_hand(
    text, text, text, timestamptz, timestamptz, timestamptz, timestamptz, integer, text, uuid);

alter table memories drop column trigger, drop column related_entities, drop column related_topics;
alter index memories_moved rename to memories_unreported_moves;

-- Renames a table with its constraints and indexes, whose names begin with its own.
create function pg_temp.rename_table(former text, present text) returns void language plpgsql as $$
declare
    part text;
begin
    execute format('alter table %I rename to %I', former, present);
    for part in select conname from pg_constraint
                where conrelid = to_regclass(present) and starts_with(conname, former || '_') loop
        execute format('alter table %I rename constraint %I to %I',
                       present, part, present || substr(part, length(former) + 1));
    end loop;
    for part in select relname from pg_class join pg_index on indexrelid = pg_class.oid
                where indrelid = to_regclass(present) and starts_with(relname, former || '_')
                  and not starts_with(relname, present || '_') loop
        execute format('alter index %I rename to %I', part, present || substr(part, length(former) + 1));
    end loop;
end
$$;
select pg_temp.rename_table(former, present) from (values
    ('tallies', 'quota_counters'),
    ('folded_users', 'evidence_versions'),
    ('linked_users', 'link_versions'),
    ('withdrawn', 'withdrawn_memories'),
    ('unsummarized', 'unsummarized_conversations'),
    ('accumulated', 'reflection_backlog'),
    ('uses', 'memory_uses')) as names (former, present);

-- Renames a column, and its constraint against nulls, which has a name in PostgreSQL 18.
create function pg_temp.rename_column(of_table text, former text, present text) returns void language plpgsql as $$
declare
    not_null text := format('%s_%s_not_null', of_table, former);
begin
    execute format('alter table %I rename column %I to %I', of_table, former, present);
    if exists (select from pg_constraint where conrelid = to_regclass(of_table) and conname = not_null) then
        execute format('alter table %I rename constraint %I to %I',
                       of_table, not_null, format('%s_%s_not_null', of_table, present));
    end if;
end
$$;
select pg_temp.rename_column(of_table, former, present) from (values
    ('history', 'said_at', 'sent_at'),
    ('fact_evidence', 'said_at', 'sent_at'),
    ('neighbours', 'said_at', 'sent_at'),
    ('corrections', 'said_at', 'sent_at'),
    ('memories', 'moved_at', 'unreported_move_at'),
    ('stages', 'gathered', 'reflection_counted'),
    ('quota_counters', 'kept', 'message_count'),
    ('quota_counters', 'day_began', 'day_start'),
    ('quota_counters', 'kept_since', 'day_count'),
    ('evidence_versions', 'state', 'version'),
    ('tombstones', 'buried_at', 'requested_at'),
    ('tombstones', 'times', 'request_count'),
    ('tombstones', 'erased', 'erased_counts'),
    ('tombstones', 'requests', 'request_ids'),
    ('withdrawn_memories', 'at', 'withdrawn_at'),
    ('unsummarized_conversations', 'since_message', 'since_message_id'),
    ('unsummarized_conversations', 'changes', 'revision'),
    ('memory_uses', 'noted_at', 'updated_at'),
    ('requests', 'asked', 'request_hash'),
    ('documents', 'whole', 'complete'),
    ('insights', 'about', 'insight_hash'),
    ('pass_runs', 'began_for', 'unfinished_run_at'),
    ('pass_runs', 'reached', 'resume_after')) as names (of_table, former, present);

do $$
declare
    of_table text;
begin
    for of_table in select relname from pg_policy join pg_class on pg_class.oid = polrelid where polname = 'one_tenant' loop
        execute format('alter policy one_tenant on %I rename to tenant_isolation', of_table);
    end loop;
end
$$;
