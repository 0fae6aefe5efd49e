"""What workers share: servers and models, each opened once, on first use, and closed in reverse order."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ricordo.bus.nats import Limits, NatsBus, NatsSettings, Topology, open_bus, ricordo_topology
from ricordo.bus.nats.topology import SWEEPER
from ricordo.bus.port import DeadLetter
from ricordo.client.addresses import checked_addresses
from ricordo.clock import Clock
from ricordo.graph.bolt import open_graph
from ricordo.graph.port import GraphUnavailable, KeptGraph
from ricordo.index.port import Scope, VectorIndex
from ricordo.index.qdrant.room import Room
from ricordo.language.emotion.heads import MODEL as HEADS_MODEL
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN
from ricordo.models.analyser import QueryAnalyser
from ricordo.models.batcher import EmbeddingBatcher
from ricordo.models.describing import Describer
from ricordo.models.encoder import Encoder
from ricordo.models.onnx import MiniLmTokens, load_tokens
from ricordo.runtime.availability import Availability
from ricordo.runtime.cpu_executor import Beside
from ricordo.runtime.gates import ProbeGate
from ricordo.runtime.metrics import Metrics
from ricordo.runtime.query_priority import Precedence
from ricordo.settings import EmbeddingSettings, Settings, StoreSettings
from ricordo.store.database import Database
from ricordo.store.life import PostgresLife
from ricordo.store.projection import PostgresEncodings
from ricordo.system_clock import SystemClock
from ricordo_services.backpressure import StreamBacklog
from ricordo_services.models import (
    LateMiniLm,
    Models,
    batcher_of,
    dimensions,
    installed,
    model_names,
    open_analyser,
    open_describer,
    open_former,
    open_models,
    ready_to_encode,
)
from ricordo_services.progress.waiting import Tell

if TYPE_CHECKING:
    from ricordo.index.qdrant.edge import EdgeVectorIndex

T = TypeVar("T")

SWEPT: Final = (STREAM_IN, STREAM_DERIVED)
__all__ = ["SWEEPER", "SWEPT", "Models", "Resources", "SystemClock", "bus_settings", "topology"]

_NOBODY = "nobody"
_GRAPH_PATIENCE = 2.0  # seconds for which an answer about the graph's health is good


class Resources:
    """Opens what is asked for; whoever asks again gets the same."""

    def __init__(self, settings: Settings, clock: Clock, exits: AsyncExitStack) -> None:
        self.settings = settings
        self.clock = clock
        self.metrics = Metrics(version("ricordo"))
        self.precedence = Precedence()
        self._edge: EdgeVectorIndex | None = None
        self._exits = exits
        self._opened: dict[str, Any] = {}
        within = settings.stores.bolt_within_s
        self._graph_availability = Availability(
            "graph", self.ask_graph, clock, patience=_GRAPH_PATIENCE, within=within
        )

    async def _once(self, name: str, opening: Callable[[], Awaitable[T]]) -> T:
        if name not in self._opened:
            self._opened[name] = await opening()
        opened: T = self._opened[name]
        return opened

    async def opened(self, name: str, opening: AbstractAsyncContextManager[T]) -> T:
        """Return what `opening` opens, which is closed with all the rest; of one name there is one."""
        return await self._once(name, lambda: self._exits.enter_async_context(opening))

    async def bus(self) -> NatsBus:
        """Return the connection to NATS."""
        opening = open_bus(bus_settings(self.settings), topology(self.settings))
        return await self._once("bus", lambda: self._exits.enter_async_context(opening))

    async def database(self) -> Database:
        """Return the pool of connections to PostgreSQL."""
        stores = self.settings.stores
        opening = Database.connect(stores.postgres_dsn.get_secret_value(), size=stores.postgres_connections)
        return await self._once("database", lambda: self._exits.enter_async_context(opening))

    async def store(self, on: Callable[[Database], T]) -> T:
        """Return a store on the database, such as `store(PostgresLife)`."""
        return on(await self.database())

    async def beside(self) -> Beside:
        """Return the thread for what computes."""
        return await self._once("beside", lambda: self._exits.enter_async_context(Beside(self.precedence)))

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names of the embedding models that serve, the primary first."""
        return model_names(self.settings.embedding)

    async def former_models(self) -> Mapping[str, int]:
        """Return the length of vectors of each model that serves no more, as of when it is first asked."""
        return await self._once("former models", self._ask_former_models)

    async def known_models(self) -> tuple[str, ...]:
        """Return the names of all models that memories may have vectors of, the primary first."""
        return (*self.model_names, *await self.former_models())

    async def beside_primary(self) -> Mapping[str, Encoder | None]:
        """Return what encodes questions by each known model but the primary; None where nobody can."""
        return await self._once("beside primary", self._open_beside_primary)

    async def tokens(self) -> MiniLmTokens:
        """Return what counts tokens."""
        return await self._once("tokens", load_tokens)

    async def models(self) -> Models:
        """Return the embedding models, loaded or connected: only for what encodes, as weights are large."""
        return await self._once("models", self._open_models)

    async def feeling(self) -> Encoder:
        """Return what encodes for the heads of emotion, where a vector is not theirs."""
        if self.model_names == (HEADS_MODEL,):  # only what a former model has encoded needs it
            return LateMiniLm(self._minilm)
        return (await self._minilm()).batch

    async def head_encoders(self) -> Sequence[Encoder]:
        """Return what encodes questions for the heads that read them, where no model that serves does."""
        if HEADS_MODEL in await self.known_models():
            return ()
        encoder = await installed(self._minilm, "what questions ask for is read by their words alone")
        return () if encoder is None else (encoder,)

    async def analyser(self) -> QueryAnalyser:
        """Return what finds out what a question asks for."""
        opening = open_analyser(self.settings.analyser, self.clock)
        return await self._once("analyser", lambda: self._exits.enter_async_context(opening))

    async def describer(self, *, patient: bool = False) -> Describer | None:
        """Return the language model that enriches messages; None where the rules do it alone."""
        opening = open_describer(self.settings.enrichment, self.clock, patient=patient)
        return await self._once("describer", lambda: self._exits.enter_async_context(opening))

    async def batcher(self) -> EmbeddingBatcher:
        """Return the embedding batcher, working."""
        return await self._once("batcher", self._open_batcher)

    async def primary_batcher(self, tell: Tell) -> EmbeddingBatcher:
        """Return one that waits for the primary model, which answers now; a pull is waited for, and told of.

        Raises:
            ModelUnavailable: it does not answer.
        """
        await ready_to_encode(self.settings.embedding, self.models, tell)
        return await self._once("primary batcher", lambda: self._open_batcher(fallback=False))

    async def vectors(self) -> VectorIndex:
        """Return the vector index, with a collection for each model that serves."""
        return await self._once("vectors", self._open_vectors)

    async def own_index(self) -> "EdgeVectorIndex | None":
        """Return the vector index whose files this process owns; None where a server keeps them."""
        await self.vectors()
        return self._edge

    async def known_vectors(self) -> VectorIndex:
        """Return the vector index, with a collection for each known model."""
        index = await self.vectors()
        for model, length in (await self.former_models()).items():
            await index.prepare(model, length)
        return index

    async def graph(self) -> KeptGraph:
        """Return the graph, whether or not it answers."""
        return await self._once("graph", self._open_graph)

    async def backlog(self, consumers: Sequence[str]) -> StreamBacklog:
        """Return what tells how much `consumers` have before them."""
        return StreamBacklog(await self.bus(), tuple(consumers))

    def probe(self, name: str, ask: Callable[[], Awaitable[object]]) -> ProbeGate:
        """Return the gate that is open while `ask` succeeds; of one name there is one."""
        gate: ProbeGate = self._opened.setdefault(f"probe {name}", ProbeGate(name, ask, self.clock))
        return gate

    async def ask_database(self) -> None:
        """Return when PostgreSQL answers.

        Raises:
            StoreUnavailable: it does not.
        """
        async with (await self.database()).unscoped() as connection:
            await connection.fetchval("select 1")

    async def ask_vectors(self) -> None:
        """Return when the vector index answers.

        Raises:
            IndexUnavailable: it does not.
        """
        await (await self.vectors()).count(_NOBODY, self.model_names[0], Scope(user_id=_NOBODY))

    async def ask_vectors_to_write(self) -> None:
        """Return when the vector index answers, and has room for more.

        Raises:
            IndexUnavailable: it does not, or has none.
        """
        await self.ask_vectors()
        stores = self.settings.stores
        if stores.qdrant_url is None and stores.qdrant_dir is not None:
            await asyncio.to_thread(Room(stores.qdrant_dir, stores.qdrant_min_free_mb).require)

    async def ask_graph(self) -> None:
        """Return when the graph answers.

        Raises:
            GraphUnavailable: it does not.
        """
        if not await (await self.graph()).health():
            raise GraphUnavailable("the graph does not answer")

    async def graph_answers(self) -> bool:
        """Whether the graph answers; asks it every two seconds, beside callers who hardly wait."""
        return await self._graph_availability.answers()

    async def bury(self, letter: DeadLetter, keep: Callable[[], Awaitable[None]]) -> None:
        """Have a dead letter kept, and its reason for the status of its message; nothing of the forgotten.

        Raises:
            StoreUnavailable: it could not be kept.
        """
        if letter.tenant is None:
            await keep()
        else:
            await (await self.store(PostgresLife)).bury(letter.tenant, letter, keep)

    async def _open_models(self) -> Models:
        opening = open_models(self.settings.embedding, await self.tokens())
        return await self._exits.enter_async_context(opening)

    async def _minilm(self) -> Models:
        if self.model_names[0] == HEADS_MODEL:
            return await self.models()
        opening = open_models(EmbeddingSettings(), await self.tokens())
        return await self._once("minilm", lambda: self._exits.enter_async_context(opening))

    async def _ask_former_models(self) -> Mapping[str, int]:
        life, encodings = await self.store(PostgresLife), await self.store(PostgresEncodings)
        found: dict[str, int] = {}
        for tenant in await life.tenants():
            found |= await encodings.models(tenant)
        return {one: found[one] for one in sorted(found) if one not in self.model_names}

    async def _open_beside_primary(self) -> Mapping[str, Encoder | None]:
        encoders: dict[str, Encoder | None] = {}
        if len(self.model_names) > 1:
            encoders[self.model_names[1]] = (await self.models()).fallback
        for model, length in (await self.former_models()).items():
            opening = open_former(self.settings.embedding, model, length, self._minilm)
            encoders[model] = await self._exits.enter_async_context(opening)
        return encoders

    async def _open_batcher(self, *, fallback: bool = True) -> EmbeddingBatcher:
        batcher = batcher_of(self.settings.embedding, await self.models(), self.clock, fallback=fallback)
        return await self._exits.enter_async_context(batcher)

    async def _open_vectors(self) -> VectorIndex:
        stores = self.settings.stores
        lengths = await dimensions(self.settings.embedding, self.models)
        if stores.qdrant_url is None:
            self._edge = _edge(stores)
        index: VectorIndex = self._edge or _server(self.settings)
        self._exits.push_async_callback(index.close)
        for model, length in lengths.items():
            await index.prepare(model, length)
        return index

    async def _open_graph(self) -> KeptGraph:
        stores = self.settings.stores
        graph = await self._exits.enter_async_context(
            open_graph(
                stores.bolt_url,
                stores.bolt_user,
                stores.bolt_password.get_secret_value(),
                database=stores.bolt_database,
            )
        )
        self._exits.push_async_callback(self._graph_availability.close)
        return graph


def _edge(stores: StoreSettings) -> "EdgeVectorIndex":
    # the engine in process is in the `local` extra, which a cluster's image need not have
    from ricordo.index.qdrant.edge import EdgeVectorIndex  # noqa: PLC0415

    if stores.qdrant_dir is None:
        raise ValueError(
            "set RICORDO_STORES__QDRANT_URL to a server, or RICORDO_STORES__QDRANT_DIR to a folder"
        )
    return EdgeVectorIndex(stores.qdrant_dir, least_free_mb=stores.qdrant_min_free_mb)


def _server(settings: Settings) -> VectorIndex:
    from qdrant_client import AsyncQdrantClient  # noqa: PLC0415 - takes half a second to import

    from ricordo.index.qdrant.server import ServerVectorIndex  # noqa: PLC0415

    key = settings.stores.qdrant_api_key
    client = AsyncQdrantClient(
        url=settings.stores.qdrant_url, api_key=None if key is None else key.get_secret_value()
    )
    return ServerVectorIndex(client)


def bus_settings(settings: Settings) -> NatsSettings:
    """Return where the bus is."""
    bus = settings.bus
    return NatsSettings(
        servers=tuple(checked_addresses(bus.url)), inbox_prefix=bus.inbox_prefix, tls_ca=bus.tls_ca
    )


def topology(settings: Settings) -> Topology:
    """Return the streams and consumers, with the operator's limits."""
    bus = settings.bus
    return ricordo_topology(
        Limits(
            incoming_bytes=bus.input_bytes,
            derived_bytes=bus.events_bytes,
            dead_letter_bytes=bus.dead_letter_bytes,
            ack_wait=bus.ack_wait_s,
        )
    )
