-- Functions, created anew after this step, look rows up by key whatever the planner knows of their tables: a table of fewer
-- than a thousand rows is neither analysed nor vacuumed by the server, since a plan for so few is kept while they grow; and of
-- one that is not analysed yet the planner would assume that each id has a two hundredth of the rows.
do $$
declare
    field record;
begin
    for field in
        select table_name, column_name from information_schema.columns
        where table_schema = current_schema() and table_name not in ('tenants', 'schema_migrations')
          and (column_name = 'tenant' or column_name ~ '(^|_)id$' and column_name not in ('user_id', 'conversation_id'))
    loop
        if field.column_name = 'tenant' then
            execute format(
                'alter table %I set (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000)', field.table_name);
        elsif current_setting('server_version_num')::integer >= 180000 and not exists (
            select from pg_stats
            where schemaname = current_schema() and tablename = field.table_name and attname = field.column_name
        ) then
            perform pg_restore_attribute_stats(
                'schemaname', current_schema()::text, 'relname', field.table_name::text,
                'attname', field.column_name::text, 'inherited', false,
                'null_frac', 0::real, 'avg_width', 8, 'n_distinct', (-1)::real);
        end if;
    end loop;
end
$$;
