#!/bin/sh
# Back up the truth of a cluster while it runs, or restore it: deploy/backup.sh save|restore FOLDER
#
# The truth is PostgreSQL; vectors and graph are written anew from it. Documents are in a volume or a bucket, and are
# copied from there. The folder holds memories in clear: it is made for its owner only.
set -eu
umask 077

usage() {
    echo "usage: deploy/backup.sh save|restore FOLDER" >&2
    exit 2
}

[ $# -eq 2 ] || usage
folder=$2
compose=${COMPOSE:-docker compose}
dump=${PG_DUMP:-$compose exec -T postgres pg_dump -U ricordo_owner -d ricordo}
restore=${PG_RESTORE:-$compose exec -T postgres pg_restore}
psql=${PSQL:-$compose exec -T postgres psql -U ricordo_owner -d ricordo}

save() {
    [ ! -e "$folder" ] || { echo "$folder is there already: name another folder" >&2; exit 1; }
    mkdir -p "$folder.partial"
    # Commands of their own, several words each.
    # shellcheck disable=SC2086
    $dump --format=custom > "$folder.partial/ricordo.dump"
    (cd "$folder.partial" && sha256sum ricordo.dump > SHA256SUMS)
    mv "$folder.partial" "$folder"
    echo "$folder holds the truth of the cluster"
}

# One transaction, which is committed only behind a dump that was read to its end. What is there goes first, all of
# it: a dump names nothing that a later version has added, and so could not take that away.
replacement() {
    cat <<'SQL'
begin;
set local client_min_messages = warning;
drop schema public cascade;
create schema public authorization pg_database_owner;
comment on schema public is 'standard public schema';
grant usage on schema public to public;
SQL
    # Commands of their own, several words each.
    # shellcheck disable=SC2086
    if $restore --file=- < "$folder/ricordo.dump"; then
        echo 'commit;'
    else
        # Ends the rows that it broke off in, and is a mistake anywhere else.
        printf '\n\\.\ndo $$ begin raise exception %s; end $$;\n' "'the dump cannot be read'"
    fi
}

load() {
    (cd "$folder" && sha256sum --check --quiet SHA256SUMS) || { echo "$folder is damaged" >&2; exit 1; }
    # shellcheck disable=SC2086
    replacement | $psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --output /dev/null || {
        echo "nothing was replaced" >&2
        exit 1
    }
    echo "restored: run  ricordo migrate, ricordo forgotten apply FILE, and ricordo reindex  now"
}

case $1 in
    save) save ;;
    restore) load ;;
    *) usage ;;
esac
