"""The way of an event: which workers write it, which durable consumers read it, and who answers requests."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ricordo.messages.registry import Contract, ContractKind

WORKERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ingest": "Validates what bots say, writes it as history and as memories, and hands it all over.",
        "embedding": "Makes the vectors, and is the only writer of the index.",
        "enrichment": "Derives feeling, importance, topics, people and times.",
        "knowledge": "Reads facts out of messages, keeps their evidence, and takes the user's word.",
        "retrieval": "Answers every query.",
        "lifecycle": "Strengthens what is used, lets the rest fade, and carries out the other commands.",
    }
)
"""Every worker and what it is for."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A durable consumer: its replicas share the events between them.

    Attributes:
        consumer: its name.
        worker: that fetches from it.
        events: names of what it reads, of all tenants.
    """

    consumer: str
    worker: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers requests.

    Attributes:
        queue: the queue group whose members share the requests.
        worker: that runs it.
    """

    queue: str
    worker: str


READERS: Final = (
    Reader("ingest", "ingest", ("message.received",)),
    Reader("ingest-bulk", "ingest", ("message.imported",)),
    Reader("sessions", "lifecycle", ("session.ended",)),
    Reader("encode", "embedding", ("memory.created",)),
    Reader("knowledge", "knowledge", ("memory.created",)),
    Reader("enrichment", "enrichment", ("memory.encoded",)),
    Reader("index", "embedding", ("memory.enriched",)),
    Reader(
        "index-changes",
        "embedding",
        ("memory.changed", "memory.decayed", "memory.archived", "memory.compressed", "memory.forgotten"),
    ),
    Reader("reinforce", "lifecycle", ("memory.accessed",)),
)
"""Every durable consumer of events."""

WRITERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "memory.created": (
            "ingest",
            "ingest-bulk",
            "lifecycle",
            "knowledge-commands",
            "enrichment",
            "embedding",
            "knowledge",
        ),
        "memory.encoded": ("encode", "lifecycle"),
        "memory.enriched": ("enrichment", "embedding", "lifecycle", "knowledge"),
        "memory.indexed": ("index",),
        "facts.extracted": ("knowledge",),
        "memory.remembered": ("index", "knowledge", "enrichment", "encode", "ingest", "ingest-bulk"),
        "memory.accessed": ("retrieval",),
        "memory.changed": (
            "reinforce",
            "encode",
            "ingest",
            "ingest-bulk",
            "lifecycle",
            "commands",
            "knowledge-commands",
        ),
        "memory.decayed": ("lifecycle",),
        "memory.archived": ("lifecycle",),
        "memory.compressed": ("lifecycle",),
        "memory.reflected": ("lifecycle",),
        "memory.forgotten": ("knowledge",),
        "session.summarized": ("lifecycle",),
    }
)
"""Who writes a derived event, its owner first: a consumer, a queue of requests, or a worker by itself.

`ce-source` names them. Lifecycle writes again what got lost on its way; jobs go by the name of their worker.
"""

ANSWERERS: Final[Mapping[ContractKind, Answerer]] = MappingProxyType(
    {
        ContractKind.QUERY: Answerer("retrieval", "retrieval"),
        ContractKind.COMMAND: Answerer("commands", "lifecycle"),
    }
)
"""Who answers queries, and who commands, unless somebody else answers a name."""

_FACTS: Final = Answerer("knowledge-commands", "knowledge")
ANSWERED_ELSEWHERE: Final[Mapping[str, Answerer]] = MappingProxyType(
    dict.fromkeys(
        ("command.verify", "command.correct", "command.reject", "command.identify", "command.forget"), _FACTS
    )
    | {"command.export": Answerer("export", "ingest")}  # which keeps the documents
)
"""The names that somebody else answers."""


def answerer_of(contract: Contract) -> Answerer:
    """Return who answers the requests of a query or a command."""
    return ANSWERED_ELSEWHERE.get(contract.name) or ANSWERERS[contract.kind]


def readers_of(name: str) -> tuple[Reader, ...]:
    """Return the durable consumers of the event `name`; none when only bots and the curious read it."""
    return tuple(reader for reader in READERS if name in reader.events)


def worker_of(writer: str) -> str:
    """Return the worker that the consumer or queue `writer` belongs to; a worker's name is its own."""
    workers = {reader.consumer: reader.worker for reader in READERS}
    workers |= {one.queue: one.worker for one in (*ANSWERERS.values(), *ANSWERED_ELSEWHERE.values())}
    return workers.get(writer, writer)
