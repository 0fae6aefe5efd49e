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
restore=${PG_RESTORE:-$compose exec -T postgres pg_restore -U ricordo_owner -d ricordo}

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

load() {
    (cd "$folder" && sha256sum --check --quiet SHA256SUMS) || { echo "$folder is damaged" >&2; exit 1; }
    # All of it or nothing; what is there is replaced.
    # shellcheck disable=SC2086
    $restore --clean --if-exists --single-transaction --exit-on-error < "$folder/ricordo.dump"
    echo "restored: run  ricordo migrate, ricordo forgotten apply FILE, and ricordo reindex  now"
}

case $1 in
    save) save ;;
    restore) load ;;
    *) usage ;;
esac
