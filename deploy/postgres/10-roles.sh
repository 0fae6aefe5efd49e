#!/bin/sh
# Runs once, when the database is made: the role of the workers, which owns nothing and sees one tenant at a time.
set -eu

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set password="${RICORDO_WORKER_PASSWORD:?}" \
    --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
select set_config('ricordo.worker_password', :'password', false) \g /dev/null
\i /ricordo/roles.sql
SQL
