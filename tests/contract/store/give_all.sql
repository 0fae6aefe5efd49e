-- Gives all tables and functions to a role that is no superuser.
create role {role} login password '{password}';
grant create, usage on schema public to {role};
do $$
declare
    name text;
begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
        execute format('alter table %I owner to {role}', name);
    end loop;
    for name in select oid::regprocedure from pg_proc where pronamespace = 'public'::regnamespace loop
        execute format('alter function %s owner to {role}', name);
    end loop;
end
$$
