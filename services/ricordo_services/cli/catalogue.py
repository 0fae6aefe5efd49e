"""What `ricordo` can do: every command with its summary, its examples and the place of its code."""

from typing import Final

from ricordo_services.cli.catalogue_upkeep import UPKEEP
from ricordo_services.cli.entry import Entry

HELP: Final = """A memory for bots and assistants that remembers the way people do.

Begin with  ricordo demo  to see it at work, or  ricordo up  to run it on this machine. Commands that
speak to a running Ricordo find it by --nats, then RICORDO_NATS_URL, then the stack that `up` runs.
"""


ENTRIES: Final = (
    Entry(
        "up",
        "up:up",
        "Run everything on this machine, in the foreground, until Ctrl-C.",
        "The servers listen on free ports of the loopback address only; other commands find them by "
        "themselves. With --json one line on standard output says where they are, once everything answers.",
        ("ricordo up", "ricordo up --data-dir ./memory --json", "ricordo up --workers ingest,embedding"),
    ),
    Entry(
        "demo",
        "demo.command:demo",
        "See it at work: a conversation of some weeks, then questions and answers.",
        "Everything happens in a temporary folder, which is removed at the end.",
        ("ricordo demo",),
    ),
    Entry(
        "worker",
        "worker:worker",
        "Run workers against servers that settings name, or beside a running `up`.",
        "Settings are RICORDO_* variables, or the TOML file that RICORDO_CONFIG names. Workers: ingest, "
        "enrichment, embedding (or encode and index apart), knowledge, retrieval, lifecycle. With --data-dir "
        "they join the stack that `up` runs on that folder; index and retrieval stay with the process that "
        "owns the vector index.",
        (
            "ricordo worker ingest",
            "ricordo worker embedding knowledge",
            "ricordo worker encode --data-dir ./memory",
        ),
    ),
    Entry(
        "migrate",
        "migrate:migrate",
        "Bring the database's schema and the streams to this version.",
        "`up` does this by itself; in a cluster it runs once before the workers, with the owner of the "
        "schema in RICORDO_STORES__POSTGRES_ADMIN_DSN.",
        ("ricordo migrate",),
    ),
    Entry(
        "publish",
        "publish:publish",
        "Publish messages, a JSON object a line.",
        "Returns when every message is safe on disk; with --wait when all of them are remembered. A line "
        "that cannot be published is reported with its number, the others pass.\n\n"
        "\b\n"
        "The least that a line holds, here in two:\n"
        '  {"id": "m-1", "user_id": "davide", "conversation_id": "c-1", "role": "user",\n'
        '   "content": "My sister Nora lives in Dublin", "timestamp": "2026-01-05T10:00:00Z"}',
        ("ricordo publish chat.jsonl --wait", "cat chat.jsonl | ricordo publish -"),
    ),
    Entry(
        "recall",
        "recall:recall",
        "Ask for memories.",
        examples=(
            "ricordo recall 'Cosa abbiamo fatto ieri?' --user davide",
            "ricordo recall 'how do I make pesto?' --user davide --explain --limit 5",
            "ricordo recall 'the trip' --user davide --type episodic --emotion positive --ids",
        ),
    ),
    Entry(
        "context",
        "recall:context",
        "Ask for memories, facts and recent turns as text for a prompt.",
        examples=("ricordo context 'Cosa sai di Nora?' --user davide --token-budget 800",),
    ),
    Entry(
        "history",
        "reading:history",
        "Show the last messages, word for word.",
        examples=("ricordo history --user davide --limit 50",),
    ),
    Entry(
        "timeline",
        "timeline:timeline",
        "Show the memories of a span of time, oldest first.",
        examples=(
            "ricordo timeline --user davide --start 2026-03-01T00:00:00+01:00",
            "ricordo timeline --user davide --start 2026-03-01T00:00:00Z --end 2026-03-08T00:00:00Z --ids",
        ),
    ),
    Entry(
        "expand",
        "timeline:expand",
        "Show what a memory rests on, oldest first.",
        "Of a summary, a synthesis or a reflection, the memories that it was made of; of a message that "
        "brought a document, the extracts. Other memories rest on nothing.",
        ("ricordo expand 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide",),
    ),
    Entry(
        "end-session",
        "timeline:end_session",
        "Say that a conversation has come to its end.",
        "It is summarised then, and not after a time of silence. Saying so again is no harm.",
        ("ricordo end-session c-1 --user davide",),
    ),
    Entry(
        "facts",
        "reading:facts",
        "Show what is known of a user.",
        "With --entity, a card: what somebody or something is called, how it is tied to the user, what is "
        "known of it, and what is near it in the graph. With --why, the sentences that each fact rests on.",
        examples=(
            "ricordo facts --user davide",
            "ricordo facts --user davide --entity Nora",
            "ricordo facts --user davide --predicate lives_in --history --ids",
            "ricordo facts --user davide --why",
        ),
    ),
    Entry(
        "verify",
        "settling:verify",
        "Confirm a fact or a memory, or take the confirmation back.",
        "A fact that was disputed or superseded holds again once it is confirmed. Messages that say "
        "otherwise dispute what is confirmed, and do not overturn it. What --no takes back, a correction "
        "too, counts as if it had never been said. With --memory, a memory: confirmed, it does not fade.",
        (
            "ricordo verify 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 --user davide",
            "ricordo verify 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 --user davide --no",
            "ricordo verify 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --memory --user davide",
        ),
    ),
    Entry(
        "correct",
        "settling:correct",
        "Put right what a fact holds, or what a memory says.",
        "The new value stands, verified; the old one is history: it is on record, and never held. With "
        "--memory, a memory says the value from now on, and all that follows from its words is made anew, "
        "its facts too; `history` keeps what was said.",
        (
            "ricordo correct 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 'San Donà di Piave' --user davide",
            "ricordo correct 47b5ef90-e7b7-56be-9896-dcb1dd467f99 'I live in Bari.' --memory --user davide",
        ),
    ),
    Entry(
        "reject",
        "settling:reject",
        "Say that a fact was read wrongly.",
        "It goes, and is not read again from the same words, whatever reads the messages anew. Said in "
        "other words, or confirmed by the user, it may come again.",
        ("ricordo reject 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 --user davide",),
    ),
    Entry(
        "pin",
        "feedback:pin",
        "Keep a memory from fading, or let it fade again.",
        "One that is in the archive comes back.",
        (
            "ricordo pin 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide",
            "ricordo pin 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide --undo",
        ),
    ),
    Entry(
        "feedback",
        "feedback:feedback",
        "Say which memories of a recall were of use, and which were not.",
        "What was used counts once, be it by the recall or by this; what was irrelevant loses what that "
        "recall has added to it. What is said last of a memory holds.",
        (
            "ricordo feedback 49ea8693-df48-462b-bcf1-825de507cfa4 --user davide --used $MEMORY",
            "ricordo feedback 49ea8693-df48-462b-bcf1-825de507cfa4 -u davide --irrelevant $MEMORY",
        ),
    ),
    Entry(
        "identify",
        "settling:identify",
        "Say that two names are one person or animal, or two.",
        "All that is known under the one is known of the other then; --undo takes that back. Of two who "
        "share a name, 'Marco (brother)' is the one who is a brother.",
        (
            "ricordo identify Nico Nicola --user davide",
            "ricordo identify Leo 'Leo Rossi' --user davide --apart",
        ),
    ),
    Entry(
        "working",
        "working:working",
        "Show what is at hand in a conversation: its last turns, names, and notes.",
        examples=("ricordo working --user davide --conversation c-1",),
    ),
    Entry(
        "note",
        "working:note",
        "Put a value into the working memory of a conversation, or take it away.",
        "VALUE is JSON, and what is none is a text. It stays at hand for a day, unless "
        "RICORDO_LIFECYCLE__WORKING_MEMORY_H says otherwise.",
        (
            "ricordo note order '{\"number\": 42}' --user davide --conversation c-1",
            "ricordo note order --remove --user davide --conversation c-1",
        ),
    ),
    Entry(
        "status",
        "reading:status",
        "Show how far a message got.",
        examples=("ricordo status m-1",),
    ),
    Entry(
        "stats",
        "reading:stats",
        "Count what is remembered of a user.",
        examples=("ricordo stats --user davide",),
    ),
    Entry(
        "doctor",
        "doctor:doctor",
        "Say what works, what does not, and what to do about it.",
        "Exits with 1 when something is missing that memories need.",
        ("ricordo doctor", "ricordo doctor --json"),
    ),
    Entry(
        "dlq",
        "dlq:app",
        "Look at the events that were given up, and send them on their way again.",
        examples=(
            "ricordo dlq list",
            "ricordo dlq show 12",
            "ricordo dlq replay 12 13",
            "ricordo dlq replay --all",
        ),
    ),
    Entry(
        "analyze",
        "pure:analyze",
        "Understand a query: what it is after, whom and when it means. No server is needed.",
        examples=(
            "ricordo analyze 'Cosa abbiamo fatto ieri?'",
            "ricordo analyze --jsonl < queries.jsonl",
        ),
    ),
    Entry(
        "enrich",
        "pure:enrich",
        "Say what a message feels like, matters, is about and when that happened. No server is needed.",
        examples=(
            "ricordo enrich 'Che gioia, ho adottato un cane!'",
            "ricordo enrich 'Yesterday I fell' --timezone Europe/Rome",
            "ricordo enrich --jsonl messages.jsonl",
        ),
    ),
    Entry(
        "extract",
        "pure:extract",
        "Read the facts that a message states. No server is needed.",
        examples=(
            "ricordo extract 'Mia sorella Nora vive a Lisbona.'",
            "ricordo extract --jsonl < messages.jsonl",
        ),
    ),
    Entry(
        "lifecycle",
        "lifecycle:app",
        "Run the passes that let memories fade and keep them in order.",
        examples=(
            "ricordo lifecycle run decay",
            "ricordo lifecycle run all",
            "ricordo lifecycle run decay --now 2026-03-01T00:00:00Z --json",
        ),
    ),
    *UPKEEP,
)
"""All commands, in the order in which help lists them."""
