"""The commands that measure, repair, move and keep what is remembered; see `catalogue`."""

from typing import Final

from ricordo_services.cli.entry import EVERYTHING, Entry

UPKEEP: Final = (
    Entry("bench", "bench:bench", "Measure speed and size on this machine.", settings=EVERYTHING),
    Entry(
        "eval",
        "bench:evaluate",
        "Measure the quality of what is derived and recalled, on a data set.",
        settings=EVERYTHING,
    ),
    Entry(
        "reindex",
        "reindex:reindex",
        "Write the graph and the vector index anew from PostgreSQL.",
        "For when one of them was lost or damaged, or comes from another day than PostgreSQL. Works beside "
        "the running workers, some facts and memories at a time, and may be stopped at any moment: run it "
        "again. What the graph holds and PostgreSQL does not is removed. Points are written by the worker "
        "that owns the index, from the vectors that are kept: nothing is encoded.",
        ("ricordo reindex", "ricordo reindex --graph", "ricordo reindex --vectors --user davide"),
    ),
    Entry(
        "backfill",
        "backfill:backfill",
        "Derive again what older versions have derived, or encode again what another model has encoded.",
        "Works beside the running workers, a few memories at a time, and may be stopped at any moment: the "
        "next run goes on. What a bot stated and what use has added stays. With a language model "
        "(RICORDO_ENRICHMENT__PROVIDER=ollama) it also raises what was derived without it. After a change of "
        "the embedding model, --only vectors moves memories to it.",
        (
            "ricordo backfill --dry-run",
            "ricordo backfill",
            "ricordo backfill --user davide --only importance --limit 1000",
            "ricordo backfill --only vectors",
        ),
    ),
    Entry(
        "backup",
        "backup:backup",
        "Write all that the data folder holds into one file.",
        "Stop `ricordo up` before. The file holds memories, documents and passwords, and only its owner can "
        "read it.",
        ("ricordo backup memory.tar.gz", "ricordo backup memory.tar.gz --data-dir ./memory"),
    ),
    Entry(
        "restore",
        "backup:restore",
        "Put a backup in the place of the data folder.",
        "Stop `ricordo up` before. The backup is compared with its checksums before anything is replaced. "
        "With --force it replaces the memories that are there; what was forgotten there since the backup was "
        "made is forgotten again when `ricordo up` starts. Where the folder is lost, --forgotten names what "
        "`ricordo forgotten save` has kept.",
        (
            "ricordo restore memory.tar.gz --data-dir ./new",
            "ricordo restore memory.tar.gz --force",
            "ricordo restore memory.tar.gz --forgotten forgotten.jsonl",
        ),
    ),
    Entry(
        "forgotten",
        "backup:forgotten",
        "Keep what was asked to be forgotten apart from backups, which are older.",
        "The list names users, conversations and messages by their ids, and holds nothing that was said. "
        "Works beside a running Ricordo, and on a data folder that nobody uses.",
        ("ricordo forgotten save forgotten.jsonl", "ricordo forgotten apply forgotten.jsonl"),
    ),
    Entry(
        "export",
        "exporting:export",
        "Hand over all that is held of a user.",
        "A JSON object a line: messages as they can be published again, documents with their bytes, memories "
        "with what was made of them, facts with their evidence, and what the user has said of all this. The "
        "file is for nobody else's eyes, and there once it is whole. Machines' own numbers, such as vectors, "
        "are left out.",
        (
            "ricordo export --user davide davide.jsonl",
            "ricordo export --user davide | gzip > davide.jsonl.gz",
        ),
    ),
    Entry(
        "import",
        "importing:import_",
        "Take in what was handed over of a user.",
        "Into any tenant and any Ricordo: messages are published on the lane that delays nobody and waited "
        "for; then what they do not tell is put back: use, pins, corrections, the user's word on facts, who "
        "is who, notes, summaries and insights. It may be stopped and run again: what is there counts once. "
        "It needs the address of PostgreSQL and of the graph, too, as `reindex` does.",
        (
            "ricordo import davide.jsonl --wait",
            "ricordo export --user davide | ricordo import - --tenant acme --json",
        ),
    ),
    Entry(
        "forget",
        "forgetting:forget",
        "Erase a message, a conversation or a user, for good.",
        "Everywhere: what was said and what was made of it, facts, vectors, documents, dead letters. Asks "
        "first; where nobody can be asked, --yes has to be said. With --tenant-wide, one user of the tenant "
        "after the other, as PostgreSQL knows them.",
        (
            "ricordo forget --user davide --message m-1",
            "ricordo forget --user davide --conversation c-1 --yes",
            "ricordo forget --tenant-wide --tenant acme",
        ),
    ),
    Entry(
        "auth",
        "auth:app",
        "Make the users of NATS: of each worker, and of each tenant's bots.",
        "`server` writes a folder: what the configuration of the NATS server includes (permissions, and "
        "hashes of passwords), and for each user a file of settings with its password, which only its owner "
        "may read. It keeps what is there. Each tenant is an account of the server's own: its bots reach "
        "their memories and nothing else. The local stack does without.",
        (
            "ricordo auth server --out users --tenant acme --address nats://bus.example:4222",
            "ricordo auth add-bot acme --name telegram --out users",
            "ricordo auth rotate bot-acme --out users",
            "ricordo auth remove bot-acme.telegram --out users",
        ),
    ),
)
