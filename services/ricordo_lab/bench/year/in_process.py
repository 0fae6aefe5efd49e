"""The workers' handlers in one process without a bus: what one publishes is handed to who would read it.

For measuring what a long life comes to, where a bus between two handlers would only take time. It
composes the handlers itself, unlike all else, which uses `ricordo_services.app`: facts are not read, and
memories are not linked, as neither has a part in what is measured.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final, cast
from uuid import UUID, uuid4

from ricordo.bus.nats import NatsBus
from ricordo.bus.port import Outgoing
from ricordo.clock import Clock
from ricordo.messages.base import Message
from ricordo.messages.codec import decode
from ricordo.messages.events import DerivedEvent, MemoryCreated, MessageReceived
from ricordo.messages.queries import RecallRequest
from ricordo.runtime.handling import Done, Envelope, Handler
from ricordo.runtime.publishing import stamped
from ricordo.runtime.replies import Answer, QueryHandler
from ricordo.settings import Settings
from ricordo.store.intake import PostgresIntake
from ricordo.store.life import PostgresLife
from ricordo.store.projection import PostgresEncodings, PostgresEnrichments, PostgresIndexing
from ricordo.store.recollection import PostgresRecollection
from ricordo.store.types.memories import Enrichments
from ricordo.store.types.recollection import Counts, Recollection
from ricordo_services.app.passes import make_pass
from ricordo_services.app.requests import context_builder, recall_service
from ricordo_services.app.resources import Resources
from ricordo_services.embedding.encode import Batcher, Encode
from ricordo_services.embedding.index import Index, IndexChanges
from ricordo_services.embedding.projection import Projection
from ricordo_services.enrichment.handlers import Enrich
from ricordo_services.ingest.handlers import Ingest
from ricordo_services.lifecycle.handlers import Reinforce
from ricordo_services.progress import PassSummary
from ricordo_services.retrieval.recall import Recall

_BATCH: Final = 500  # events that a handler is given at once


class NotHandled(Exception):
    """A handler did not do its work; the sentence says which, and why."""


class _Bus:
    """Takes what is published, until somebody handles it."""

    def __init__(self) -> None:
        self.waiting: deque[DerivedEvent] = deque()

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[None]:
        for one in messages:
            body = decode(".".join(one.subject.split(".")[3:]), one.body)
            if isinstance(body, DerivedEvent):
                self.waiting.append(body)
        return [None] * len(messages)


class _Resources(Resources):
    """What workers share, with the bus of this process, and a graph that nobody asks."""

    def __init__(self, settings: Settings, clock: Clock, exits: AsyncExitStack, bus: _Bus) -> None:
        super().__init__(settings, clock, exits)
        self._bus = bus

    async def bus(self) -> NatsBus:
        return cast("NatsBus", self._bus)  # passes publish, and no more

    async def graph_answers(self) -> bool:
        return True


class _Unlinked:
    """Links nothing."""

    async def link(self, _tenant: str, _model: str, _users: Mapping[UUID, str], /) -> Sequence[MemoryCreated]:
        """Link nothing."""
        return ()


Wrapping = Callable[[Enrichments], Enrichments]


class InProcess:
    """The system in this process, for one tenant; made by `in_process`."""

    def __init__(self, tenant: str, resources: Resources, bus: _Bus) -> None:
        self._tenant = tenant
        self._resources = resources
        self._bus = bus
        self._events: dict[str, Handler[Any]] = {}
        self._queries: dict[str, QueryHandler[Any]] = {}
        self._recollection: Recollection

    async def take(self, messages: Sequence[MessageReceived]) -> None:
        """Handle what a bot publishes, and all that follows from it."""
        for start in range(0, len(messages), _BATCH):
            await self._handle(messages[0].name, messages[start : start + _BATCH])
            await self._settle()

    async def ask(self, request: RecallRequest) -> Message:
        """Answer `query.recall` or `query.context`, and handle what follows from it.

        Raises:
            KeyError: it is another query.
        """
        answer = await self._queries[request.name](self._tenant, request)
        if not isinstance(answer, Answer):
            return answer
        self._waits(answer.events)
        await self._settle()
        return answer.reply

    async def run(self, name: str) -> PassSummary:
        """Make a pass of lifecycle as of the clock's present, and all that follows from it.

        Raises:
            RuntimeError: a part of it failed, as the log says: what is measured here must be whole.
        """
        one = await make_pass(self._resources, name)
        summary = await one.run(self._resources.clock.now())
        if summary.failed:
            raise RuntimeError(f"the pass {name} failed for {summary.failed} of its items")
        await self._settle()
        return summary

    async def counts(self, user_id: str) -> Counts:
        """Count what is held about a user."""
        return await self._recollection.counts(self._tenant, user_id)

    async def _settle(self) -> None:
        while self._bus.waiting:
            by_name: dict[str, list[DerivedEvent]] = defaultdict(list)
            while self._bus.waiting:
                body = self._bus.waiting.popleft()
                by_name[body.name].append(body)
            for name, bodies in by_name.items():
                for start in range(0, len(bodies), _BATCH):
                    await self._handle(name, bodies[start : start + _BATCH])

    async def _handle(self, name: str, bodies: Sequence[Any]) -> None:
        if (handler := self._events.get(name)) is None:
            return
        envelopes = [
            Envelope(tenant=self._tenant, id=uuid4(), subject=name, body=body, attempt=1, traceparent=None)
            for body in bodies
        ]
        for outcome in await handler(self._tenant, envelopes):
            if not isinstance(outcome, Done):
                raise NotHandled(f"{name} was not handled: {outcome}")
            self._waits(outcome.events)

    def _waits(self, events: Sequence[DerivedEvent]) -> None:
        self._bus.waiting.extend(stamped(events, uuid4(), self._resources.clock.now()))

    async def wire(self, encoding: Callable[[Batcher], Batcher], enriching: Wrapping, *, used: bool) -> None:
        """Make the handlers; see `in_process`."""
        resources = self._resources
        clock, beside, model = resources.clock, await resources.cpu_executor(), resources.model_names[0]
        indexing = await resources.store(PostgresIndexing)
        self._recollection = await resources.store(PostgresRecollection)
        projection = Projection(indexing, await resources.known_vectors(), (model,), beside)
        tokens, remember = await resources.tokens(), await recall_service(resources)
        changes = IndexChanges(projection)
        batcher = encoding(await resources.batcher())
        enrichments = enriching(await resources.store(PostgresEnrichments))
        self._events = {
            "message.received": Ingest(await resources.store(PostgresIntake), clock),
            "memory.created": Encode(await resources.store(PostgresEncodings), batcher, model, clock),
            "memory.encoded": Enrich(enrichments, tokens, clock, beside, _Unlinked()),
            "memory.enriched": Index(projection, indexing, clock),
            **dict.fromkeys(
                ("memory.changed", "memory.decayed", "memory.archived", "memory.compressed"), changes
            ),
        }
        if used:
            self._events["memory.accessed"] = Reinforce(await resources.store(PostgresLife))
        self._queries = {
            "query.recall": Recall(remember),
            "query.context": await context_builder(resources, remember),
        }


async def in_process(
    tenant: str,
    settings: Settings,
    clock: Clock,
    exits: AsyncExitStack,
    *,
    encoding: Callable[[Batcher], Batcher] = lambda batcher: batcher,
    enriching: Wrapping = lambda enrichments: enrichments,
    reinforcing: bool = True,
) -> InProcess:
    """Return the system in this process.

    Args:
        tenant: whose.
        settings: name the stores, which are prepared.
        clock: may jump.
        exits: closes what is opened.
        encoding: puts something around what encodes.
        enriching: puts something around where what is derived is written.
        reinforcing: whether use makes memories stronger.
    """
    bus = _Bus()
    made = InProcess(tenant, _Resources(settings, clock, exits, bus), bus)
    await made.wire(encoding, enriching, used=reinforcing)
    return made
