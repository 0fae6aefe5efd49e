"""The routing table: the writers and durable consumers of every event, and the responder of every request.

Streams, subject filters, permissions and the AsyncAPI document follow from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from ricordo.messages import answers, commands, entities, event_items, events, listings, queries
from ricordo.messages.inputs import Request
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import (
    DEAD_LETTER_PREFIX,
    PREFIX,
    STREAM_DEAD_LETTERS,
    STREAM_DERIVED,
    STREAM_IN,
    every_tenant,
)

WORKERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ingest": "Validates what bots say, writes it as history and as memories, and hands it all over.",
        "embedding": "Makes the vectors, reads the texts, and is the only writer of the index.",
        "enrichment": "Derives feeling, importance, topics, people and times.",
        "knowledge": "Reads facts out of messages, keeps their evidence, and takes the user's word.",
        "retrieval": "Answers every query.",
        "lifecycle": "Strengthens what is used, lets the rest fade, and carries out the other commands.",
    }
)
"""Every worker and what it is for."""


class ContractKind(StrEnum):
    """How a subject is used."""

    EVENT = "event"
    QUERY = "query"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Responder:
    """The server of requests.

    Attributes:
        queue: queue group whose members share the requests.
        worker: that runs it.
    """

    queue: str
    worker: str


@dataclass(frozen=True, slots=True)
class Contract:
    """One subject of the contract.

    Attributes:
        writers: consumers, queue groups or workers that write an event, its owner first, as in `ce-source`;
            empty for events of bots. Lifecycle publishes lost events again; jobs use the name of their
            worker.
        consumers: durable consumers of an event; empty if no worker reads it.
        part: sent before the reply, up to `MOST_PARTS` times, if the request has `stream`; None for never.
    """

    name: str
    kind: ContractKind
    body: type[Message]
    reply: type[Message] | None = None
    responder: Responder | None = None
    writers: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    part: type[Message] | None = None

    @property
    def from_bots(self) -> bool:
        """Whether bots write the body."""
        return not self.writers

    @property
    def stream(self) -> str | None:
        """Its stream; None for queries and commands."""
        if self.kind is not ContractKind.EVENT:
            return None
        return STREAM_IN if self.from_bots else STREAM_DERIVED


RESPONDERS: Final[Mapping[ContractKind, Responder]] = MappingProxyType(
    {
        ContractKind.QUERY: Responder("retrieval", "retrieval"),
        ContractKind.COMMAND: Responder("commands", "lifecycle"),
    }
)
"""Who answers queries and commands by default, those included that this version does not know."""

_FACTS: Final = Responder("knowledge-commands", "knowledge")
_ASSERTIONS: Final = Responder("assertions", "knowledge")  # they may wait for messages, and delay no others
_EXPORT: Final = Responder("export", "ingest")  # which keeps the documents


_WITH_BULK: Final = frozenset({"ingest", "encode", "enrichment", "knowledge", "index"})
"""The consumers that have one for the bulk lane beside them."""


def bulk_consumer(live: str) -> str:
    """Return the durable consumer of the bulk lane beside that of the live lane."""
    return f"{live}-bulk"


def _event(body: type[events.MessageReceived | events.SessionEnded], consumer: str) -> tuple[Contract, ...]:
    return (Contract(body.name, ContractKind.EVENT, body, consumers=(consumer,)),)


def _derived(body: type[event_items.DerivedEvent], writers: str, consumers: str = "") -> tuple[Contract, ...]:
    """Return an event of workers, and its bulk lane, whose consumers have `-bulk` behind their names."""
    named, readers, model = writers.split(), consumers.split(), event_items.event_model(body)
    named += [bulk_consumer(one) for one in named if one in _WITH_BULK]
    live = Contract(body.name, ContractKind.EVENT, model, writers=tuple(named), consumers=tuple(readers))
    if not body.has_bulk:
        return (live,)
    return live, replace(
        live, name=f"{body.name}{event_items.BULK}", consumers=tuple(bulk_consumer(one) for one in readers)
    )


def _query(body: type[Request], reply: type[Message], part: type[Message] | None = None) -> Contract:
    return Contract(body.name, ContractKind.QUERY, body, reply, RESPONDERS[ContractKind.QUERY], part=part)


def _command(
    body: type[Request], reply: type[Message], responder: Responder = RESPONDERS[ContractKind.COMMAND]
) -> Contract:
    return Contract(body.name, ContractKind.COMMAND, body, reply, responder)


_ALL: Final = (
    *_event(events.MessageReceived, "ingest"),
    *_event(events.MessageImported, "ingest-bulk"),
    *_event(events.SessionEnded, "sessions"),
    *_derived(events.MemoryCreated, "ingest lifecycle", "encode"),
    *_derived(
        events.ReadingRequested, "ingest encode enrichment lifecycle commands knowledge-commands", "encode"
    ),
    *_derived(events.MemoryEncoded, "encode lifecycle", "enrichment knowledge"),
    *_derived(events.FactsRequested, "lifecycle knowledge-commands enrichment", "knowledge"),
    *_derived(events.MemoryEnriched, "enrichment", "index"),
    *_derived(events.IndexRequested, "embedding encode enrichment lifecycle knowledge", "index"),
    *_derived(events.MemoryIndexed, "index"),
    *_derived(events.FactsExtracted, "knowledge", "graph"),
    *_derived(events.MemoryRemembered, "index knowledge enrichment encode ingest"),
    *_derived(events.MemoryAccessed, "retrieval", "reinforce"),
    *_derived(events.MemoryChanged, "reinforce lifecycle commands knowledge-commands", "index-changes"),
    *_derived(events.MemoryDecayed, "lifecycle"),
    *_derived(events.MemoryArchived, "lifecycle", "index-changes"),
    *_derived(events.MemoryCompressed, "lifecycle", "index-changes"),
    *_derived(events.MemoryReflected, "lifecycle"),
    *_derived(events.MemoryForgotten, "knowledge", "index-changes"),
    *_derived(events.SessionSummarized, "lifecycle"),
    _query(queries.RecallRequest, queries.RecallReply),
    _query(queries.ContextRequest, queries.ContextReply),
    _query(answers.AnswerRequest, answers.AnswerReply, answers.AnswerPart),
    _query(queries.HistoryRequest, queries.HistoryReply),
    _query(queries.FactsRequest, queries.FactsReply),
    _query(queries.TimelineRequest, queries.TimelineReply),
    _query(queries.WorkingRequest, queries.WorkingReply),
    _query(queries.StatusRequest, queries.StatusReply),
    _query(queries.StatsRequest, queries.StatsReply),
    _query(queries.ExpandRequest, queries.ExpandReply),
    _query(listings.MemoryRequest, listings.MemoryReply),
    _query(listings.MemoriesRequest, listings.MemoriesReply),
    _query(listings.PeriodsRequest, listings.PeriodsReply),
    _query(listings.UsersRequest, listings.UsersReply),
    _query(entities.EntitiesRequest, entities.EntitiesReply),
    _query(entities.GraphRequest, entities.GraphReply),
    _command(commands.Forget, commands.ForgetReply, _FACTS),
    _command(commands.Discard, commands.ForgetReply, _FACTS),
    _command(commands.Pin, commands.PinReply),
    _command(commands.Edit, commands.EditReply),
    _command(commands.Verify, commands.VerifyReply, _FACTS),
    _command(commands.Correct, commands.CorrectReply, _FACTS),
    _command(commands.RejectFact, commands.RejectFactReply, _FACTS),
    _command(commands.Assert, commands.AssertReply, _ASSERTIONS),
    _command(commands.Identify, commands.IdentifyReply, _FACTS),
    _command(commands.Feedback, commands.FeedbackReply),
    _command(commands.Note, commands.NoteReply),
    _command(commands.Export, commands.ExportReply, _EXPORT),
)

CONTRACTS: Final[Mapping[str, Contract]] = MappingProxyType({contract.name: contract for contract in _ALL})
"""Every subject's contract by its name."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """A durable consumer, whose replicas share the events."""

    name: str
    worker: str
    events: tuple[str, ...]
    stream: str


def _consumer(name: str, worker: str) -> Consumer:
    events_read = tuple(item for item in _ALL if name in item.consumers)
    (stream,) = {STREAM_IN if item.from_bots else STREAM_DERIVED for item in events_read}
    return Consumer(name, worker, tuple(item.name for item in events_read), stream)


def _lanes(name: str, worker: str) -> tuple[Consumer, Consumer]:
    return _consumer(name, worker), _consumer(bulk_consumer(name), worker)


CONSUMERS: Final = (
    _consumer("ingest", "ingest"),
    _consumer("ingest-bulk", "ingest"),
    _consumer("sessions", "lifecycle"),
    *_lanes("encode", "embedding"),
    *_lanes("enrichment", "enrichment"),
    *_lanes("knowledge", "knowledge"),
    *_lanes("index", "embedding"),
    _consumer("index-changes", "embedding"),
    _consumer("graph", "knowledge"),
    _consumer("reinforce", "lifecycle"),
)
"""Every durable consumer of events."""

_OWNERS: Final[Mapping[str, str]] = {item.name: item.worker for item in CONSUMERS} | {
    item.responder.queue: item.responder.worker for item in _ALL if item.responder is not None
}

STREAM_SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        STREAM_IN: tuple(every_tenant(item.name) for item in _ALL if item.stream == STREAM_IN),
        STREAM_DERIVED: (
            every_tenant("memory.>"),
            *(
                every_tenant(item.name)
                for item in _ALL
                if item.stream == STREAM_DERIVED and not item.name.startswith("memory.")
            ),
        ),
        STREAM_DEAD_LETTERS: (f"{DEAD_LETTER_PREFIX}.>",),
    }
)
"""The subjects that each stream keeps."""


def worker_of(writer: str) -> str:
    """Return the worker of a consumer or queue group; a worker's name is returned unchanged."""
    return _OWNERS.get(writer, writer)


def answered_elsewhere(queue: str) -> frozenset[str]:
    """Return the names of requests that other queue groups than `queue` answer."""
    return frozenset(
        item.name for item in _ALL if item.responder is not None and item.responder.queue != queue
    )


@dataclass(frozen=True, slots=True)
class Permissions:
    """The subjects of a user, with NATS wildcards; all others are denied."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def inbox_prefix(tenant: str) -> str:
    """Return the prefix of the inboxes of a tenant's bots."""
    return f"_INBOX_{tenant}"


def bot_events() -> tuple[str, ...]:
    """Return the names of the events that bots publish."""
    return tuple(c.name for c in CONTRACTS.values() if c.from_bots and c.kind is ContractKind.EVENT)


def bot_requests() -> tuple[str, ...]:
    """Return the names of requests, with a wildcard."""
    return tuple(f"{kind.value}.*" for kind in (ContractKind.QUERY, ContractKind.COMMAND))


def most_replies(worker: str) -> int:
    """Return the most messages with which `worker` answers one request."""
    senders = {one.responder.worker for one in CONTRACTS.values() if one.part and one.responder}
    return answers.MOST_PARTS + 1 if worker in senders else 1


def bot_services() -> Mapping[str, str]:
    """Return what bots publish and ask, and whether one message answers it (`single`) or several (`stream`).

    Queries stand by their names: where two imports of an account match a subject, both pass a request on.
    """
    queries = [one for one in CONTRACTS.values() if one.kind is ContractKind.QUERY]
    single = dict.fromkeys((*bot_events(), "command.*"), "single")
    return single | {one.name: "stream" if one.part else "single" for one in queries}


def bot_subjects(tenant: str) -> tuple[str, ...]:
    """Return the subjects of the events that a bot of `tenant` may receive; `*` means all tenants."""
    return tuple(subject.replace("*", tenant, 1) for subject in STREAM_SUBJECTS[STREAM_DERIVED])


def bot_permissions(tenant: str) -> Permissions:
    """Return the permissions of a bot of `tenant`."""
    return Permissions(
        publish=tuple(f"{PREFIX}.{tenant}.{name}" for name in (*bot_events(), *bot_requests())),
        subscribe=(f"{inbox_prefix(tenant)}.>", *bot_subjects(tenant)),
    )
