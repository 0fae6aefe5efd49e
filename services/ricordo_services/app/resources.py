"""What the workers of a process share: servers and models, opened on first use, closed in reverse order."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ricordo.bus.nats import NatsBus, open_bus
from ricordo.bus.port import DeadLetter
from ricordo.clock import Clock
from ricordo.documents.port import ObjectStore
from ricordo.graph.bolt import open_graph
from ricordo.graph.port import GraphUnavailable, KeptGraph
from ricordo.index.port import Scope, VectorIndex
from ricordo.index.qdrant.room import Room
from ricordo.language.emotion.heads import MODEL as HEADS_MODEL
from ricordo.models.batcher import EmbeddingBatcher
from ricordo.models.encoder import Encoder
from ricordo.models.llm_describer import LlmDescriber
from ricordo.models.onnx import MiniLmTokens, load_tokens
from ricordo.models.query_analyser import QueryAnalyser
from ricordo.runtime.availability import Availability
from ricordo.runtime.derived_events import BusEmitter
from ricordo.runtime.gates import ProbeGate
from ricordo.runtime.metrics import Metrics
from ricordo.runtime.scheduling import CpuExecutor, QueryPriority
from ricordo.settings import EmbeddingSettings, Settings
from ricordo.store.database import Database
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.rebuild_sources import FactSource
from ricordo.store.stages import EncodingStore
from ricordo_services.app.connections import (
    bus_settings,
    edge_index,
    open_object_store,
    server_index,
    topology,
)
from ricordo_services.app.embedding_models import (
    LazyMiniLm,
    Models,
    dimensions,
    embedding_batcher,
    installed_encoder,
    model_names,
    open_former,
    open_models,
    wait_until_ready,
)
from ricordo_services.app.language_models import open_analyser, open_describer
from ricordo_services.backpressure import StreamBacklog
from ricordo_services.knowledge.graph_projector import GraphProjector
from ricordo_services.knowledge.graph_repair import GraphRepair, GraphRepairs
from ricordo_services.progress import Tell

if TYPE_CHECKING:
    from ricordo.index.qdrant.edge import EdgeVectorIndex

T = TypeVar("T")

_NOBODY: Final = "nobody"
_GRAPH_HEALTH_S = 2.0  # for which an answer about the graph's health is good


class Resources:
    """Opens each resource on first use, and returns the same one from then on."""

    def __init__(self, settings: Settings, clock: Clock, exits: AsyncExitStack) -> None:
        self.settings = settings
        self.clock = clock
        self.metrics = Metrics(version("ricordo"))
        self.priority = QueryPriority()
        self._edge: EdgeVectorIndex | None = None
        self._exits = exits
        self._opened: dict[str, Any] = {}
        timeout = settings.stores.bolt_timeout_s
        self._graph_availability = Availability(
            "graph", self.ask_graph, clock, ttl=_GRAPH_HEALTH_S, timeout=timeout
        )

    async def _once(self, name: str, opening: Callable[[], Awaitable[T]]) -> T:
        if name not in self._opened:
            self._opened[name] = await opening()
        opened: T = self._opened[name]
        return opened

    async def open(self, name: str, opening: AbstractAsyncContextManager[T]) -> T:
        """Return what `opening` yields, opened once per `name` and closed with all other resources."""
        return await self._once(name, lambda: self._exits.enter_async_context(opening))

    def share(self, name: str, make: Callable[[], T]) -> T:
        """Return what `make` returns, made once per `name`."""
        if name not in self._opened:
            self._opened[name] = make()
        made: T = self._opened[name]
        return made

    async def bus(self) -> NatsBus:
        """Return the connection to NATS."""
        return await self.open("bus", open_bus(bus_settings(self.settings), topology(self.settings)))

    async def emitter(self, source: str) -> BusEmitter:
        """Return the publisher of events that no other event has caused, in the name of `source`."""
        return BusEmitter(await self.bus(), self.clock, source)

    async def database(self) -> Database:
        """Return the pool of connections to PostgreSQL."""
        stores = self.settings.stores
        opening = Database.connect(stores.postgres_dsn.get_secret_value(), size=stores.postgres_connections)
        return await self.open("database", opening)

    async def store(self, on: Callable[[Database], T]) -> T:
        """Return a store on the database, such as `store(LifecycleStore)`."""
        return on(await self.database())

    async def documents(self) -> ObjectStore | None:
        """Return the object store of documents; None where none is configured."""
        return await self._once("documents", lambda: open_object_store(self.settings.documents))

    async def cpu_executor(self) -> CpuExecutor:
        """Return the thread for CPU-bound work."""
        return await self.open("cpu executor", CpuExecutor(self.priority))

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names of the configured embedding models, the primary first."""
        return model_names(self.settings.embedding)

    async def former_models(self) -> Mapping[str, int]:
        """Return the vector length of each model that is no longer configured; read once."""
        return await self._once("former models", self._read_former_models)

    async def known_models(self) -> tuple[str, ...]:
        """Return the names of all models that memories may have vectors of, the primary first."""
        return (*self.model_names, *await self.former_models())

    async def secondary_encoders(self) -> Mapping[str, Encoder | None]:
        """Return the query encoder of each known model but the primary; None where it is unavailable."""
        return await self._once("secondary encoders", self._open_secondary_encoders)

    async def tokens(self) -> MiniLmTokens:
        """Return the token counter."""
        return await self._once("tokens", load_tokens)

    async def models(self) -> Models:
        """Return the embedding models, loaded or connected. Their weights are large: only for encoding."""
        return await self._once("models", self._open_models)

    async def emotion_encoder(self) -> Encoder:
        """Return the encoder for the emotion heads, for memories whose own vector is of another model."""
        if self.model_names == (HEADS_MODEL,):  # only what a former model has encoded needs it
            return LazyMiniLm(self._minilm)
        return (await self._minilm()).batch

    async def head_encoders(self) -> Sequence[Encoder]:
        """Return the encoder for the heads that read questions; empty where a known model is theirs."""
        if HEADS_MODEL in await self.known_models():
            return ()
        encoder = await installed_encoder(self._minilm, "questions are classified by their words alone")
        return () if encoder is None else (encoder,)

    async def analyser(self) -> QueryAnalyser:
        """Return the query analyser."""
        return await self.open("analyser", open_analyser(self.settings.analyser, self.clock))

    async def describer(self, *, patient: bool = False) -> LlmDescriber | None:
        """Return the language model that enriches messages; None for the rules alone."""
        opening = open_describer(self.settings.enrichment, self.clock, patient=patient)
        return await self.open("describer", opening)

    async def batcher(self) -> EmbeddingBatcher:
        """Return the running embedding batcher."""
        return await self._once("batcher", self._open_batcher)

    async def primary_batcher(self, tell: Tell) -> EmbeddingBatcher:
        """Return a batcher without fallback, once the primary model answers; `tell` is told of a pull.

        Raises:
            ModelUnavailable: it does not answer.
        """
        await wait_until_ready(self.settings.embedding, self.models, tell)
        return await self._once("primary batcher", lambda: self._open_batcher(fallback=False))

    async def vectors(self) -> VectorIndex:
        """Return the vector index, with a collection for each configured model."""
        return await self._once("vectors", self._open_vectors)

    async def local_index(self) -> "EdgeVectorIndex | None":
        """Return the vector index whose files this process owns; None where a server holds them."""
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

    async def graph_repair(self) -> GraphRepair:
        """Return the repair that makes the graph of a user equal to PostgreSQL."""
        return GraphRepair(facts=await self.store(FactSource), graph=await self.graph())

    async def graph_projector(self, patience: float | None = None) -> GraphProjector:
        """Return the projector of facts to the graph; all of a process share its repairs.

        Args:
            patience: seconds to wait for a repair; None for as long as it takes.
        """
        repairs = await self.open("graph repairs", GraphRepairs(await self.graph_repair()))
        return GraphProjector(await self.graph(), repairs, patience)

    async def backlog(self, consumers: Sequence[str]) -> StreamBacklog:
        """Return the counter of events that `consumers` have not settled yet."""
        return StreamBacklog(await self.bus(), tuple(consumers))

    def probe(self, name: str, ask: Callable[[], Awaitable[object]]) -> ProbeGate:
        """Return the gate that is open while `ask` succeeds; there is one per `name`."""
        return self.share(f"probe {name}", lambda: ProbeGate(name, ask, self.clock))

    async def ask_database(self) -> None:
        """Raise StoreUnavailable unless PostgreSQL answers."""
        async with (await self.database()).unscoped() as connection:
            await connection.fetchval("select 1")

    async def ask_vectors_to_write(self) -> None:
        """Raise IndexUnavailable unless the vector index answers and has room for more."""
        await (await self.vectors()).count(_NOBODY, self.model_names[0], Scope(user_id=_NOBODY))
        stores = self.settings.stores
        if stores.qdrant_url is None and stores.qdrant_dir is not None:
            await asyncio.to_thread(Room(stores.qdrant_dir, stores.qdrant_min_free_mb).require)

    async def ask_graph(self) -> None:
        """Raise GraphUnavailable unless the graph answers."""
        if not await (await self.graph()).health():
            raise GraphUnavailable("the graph does not answer")

    async def graph_answers(self) -> bool:
        """Return whether the graph answers; it is asked every two seconds, in the background."""
        return await self._graph_availability.is_available()

    async def keep_dead_letter(self, letter: DeadLetter, keep: Callable[[], Awaitable[None]]) -> None:
        """Publish a dead letter by `keep`, and store its reason; neither of a forgotten message.

        Raises:
            StoreUnavailable: the reason could not be stored.
        """
        if letter.tenant is None:
            await keep()
        else:
            await (await self.store(LifecycleStore)).record_dead_letter(letter.tenant, letter, keep)

    async def _open_models(self) -> Models:
        opening = open_models(self.settings.embedding, await self.tokens())
        return await self._exits.enter_async_context(opening)

    async def _minilm(self) -> Models:
        if self.model_names[0] == HEADS_MODEL:
            return await self.models()
        return await self.open("minilm", open_models(EmbeddingSettings(), await self.tokens()))

    async def _read_former_models(self) -> Mapping[str, int]:
        life, encodings = await self.store(LifecycleStore), await self.store(EncodingStore)
        found: dict[str, int] = {}
        for tenant in await life.tenants():
            found |= await encodings.models(tenant)
        return {one: found[one] for one in sorted(found) if one not in self.model_names}

    async def _open_secondary_encoders(self) -> Mapping[str, Encoder | None]:
        encoders: dict[str, Encoder | None] = {}
        if len(self.model_names) > 1:
            encoders[self.model_names[1]] = (await self.models()).fallback
        for model, length in (await self.former_models()).items():
            opening = open_former(self.settings.embedding, model, length, self._minilm)
            encoders[model] = await self._exits.enter_async_context(opening)
        return encoders

    async def _open_batcher(self, *, fallback: bool = True) -> EmbeddingBatcher:
        models = await self.models()
        batcher = embedding_batcher(self.settings.embedding, models, self.clock, fallback=fallback)
        return await self._exits.enter_async_context(batcher)

    async def _open_vectors(self) -> VectorIndex:
        stores = self.settings.stores
        lengths = await dimensions(self.settings.embedding, self.models)
        if stores.qdrant_url is None:
            self._edge = edge_index(stores)
        index: VectorIndex = self._edge or server_index(stores)
        self._exits.push_async_callback(index.close)
        for model, length in lengths.items():
            await index.prepare(model, length)
        return index

    async def _open_graph(self) -> KeptGraph:
        stores = self.settings.stores
        password = stores.bolt_password.get_secret_value()
        opening = open_graph(stores.bolt_url, stores.bolt_user, password, database=stores.bolt_database)
        graph = await self._exits.enter_async_context(opening)
        self._exits.push_async_callback(self._graph_availability.close)
        return graph
