-- The role that the workers use: it owns nothing, and row-level security binds it.
-- Its password comes in the session's setting ricordo.worker_password.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'ricordo_worker') THEN
        CREATE ROLE ricordo_worker;
    END IF;
    EXECUTE format(
        'ALTER ROLE ricordo_worker WITH LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD %L',
        current_setting('ricordo.worker_password')
    );
END
$$;
REVOKE ALL ON DATABASE ricordo FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE ricordo TO ricordo_worker;
