"""What the workers of a process share: servers and models, opened on first use, closed in reverse order."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.clock import Clock
from ricordo.documents.object_store import ObjectStore
from ricordo.graph.fact_graph import FactGraph, open_graph
from ricordo.graph.graph_model import GraphUnavailable
from ricordo.index.port import Scope, VectorIndex
from ricordo.index.qdrant.edge_folder import FreeSpace
from ricordo.language.annotations import E5
from ricordo.models.batcher import EmbeddingBatcher
from ricordo.models.encoder import Encoder
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.onnx.e5_checkpoint import E5Tokens
from ricordo.models.onnx.network import DIMENSIONS
from ricordo.models.onnx.onnx_encoder import load_tokens
from ricordo.models.reader.text_reader import TextReader
from ricordo.runtime.dead_letter_queue import DeadLetter
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.gates import ProbeGate
from ricordo.runtime.metrics import Metrics
from ricordo.runtime.scheduling import CpuExecutor, QueryPriority
from ricordo.settings import EmbeddingSettings, Settings
from ricordo.store.database import Database
from ricordo.store.graph_source import FactSource
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.stages import EncodingStore
from ricordo_services.app import embedding_models
from ricordo_services.app.language_models import open_llm
from ricordo_services.app.server_connections import (
    bus_settings,
    edge_index,
    open_object_store,
    server_index,
    topology,
)
from ricordo_services.backpressure import Backlog
from ricordo_services.job_progress import Notify
from ricordo_services.knowledge.graph_projector import GraphProjector

if TYPE_CHECKING:
    from ricordo.index.qdrant.edge import EdgeVectorIndex

T = TypeVar("T")

_NOBODY: Final = "nobody"
_GRAPH_HEALTH_S = 2.0  # for which an answer about the graph's health is good


def shared(opening: "Callable[[Resources], Awaitable[T]]") -> "Callable[[Resources], Awaitable[T]]":
    """Make a method open its resource on the first call, and return the same one from then on.

    Concurrent callers wait for one opening; if it fails or is cancelled, the next caller opens the resource.
    """

    @wraps(opening)
    async def once(resources: "Resources") -> T:
        opened, name = resources.opened, opening.__name__
        async with resources.locks[name]:
            if name not in opened:
                opened[name] = await opening(resources)
        return cast("T", opened[name])

    return once


class Resources:
    """The servers and models of a process; `exits` closes them."""

    def __init__(self, settings: Settings, clock: Clock, exits: AsyncExitStack) -> None:
        self.settings = settings
        self.clock = clock
        self.metrics = Metrics(version("ricordo"))
        self.priority = QueryPriority()
        self.database_gate = ProbeGate("postgres", self.ask_database, clock)
        self.graph_gate = ProbeGate("graph", self._ask_graph, clock)
        self.vectors_gate = ProbeGate("vectors", self._ask_vectors_to_write, clock)
        self.opened: dict[str, Any] = {}
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.enter = exits.enter_async_context
        self._exits = exits
        self._edge: EdgeVectorIndex | None = None

    @shared
    async def bus(self) -> NatsBus:
        """Return the connection to NATS."""
        return await self.enter(open_bus(bus_settings(self.settings), topology(self.settings)))

    async def emitter(self, source: str) -> Emitter:
        """Return the publisher of events that no other event has caused, in the name of `source`."""
        return Emitter(await self.bus(), self.clock, source)

    async def backlog(self, *consumers: str) -> Backlog:
        """Return the counter of events that `consumers` have not settled yet."""
        return Backlog(await self.bus(), consumers)

    @shared
    async def database(self) -> Database:
        """Return the pool of connections to PostgreSQL."""
        stores = self.settings.stores
        dsn = stores.postgres_dsn.get_secret_value()
        return await self.enter(Database.connect(dsn, size=stores.postgres_connections))

    async def store(self, on: Callable[[Database], T]) -> T:
        """Return a store on the database, such as `store(LifecycleStore)`."""
        return on(await self.database())

    @shared
    async def documents(self) -> ObjectStore | None:
        """Return the object store of documents; None where none is configured."""
        return await open_object_store(self.settings.documents)

    @shared
    async def cpu_executor(self) -> CpuExecutor:
        """Return the thread for CPU-bound work."""
        return await self.enter(CpuExecutor(self.priority))

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names of the configured embedding models, the primary first."""
        return embedding_models.model_names(self.settings.embedding)

    @shared
    async def former_models(self) -> Mapping[str, int]:
        """Return the vector length of each model that is no longer configured."""
        encodings, found = await self.store(EncodingStore), dict[str, int]()
        for tenant in await (await self.store(LifecycleStore)).tenants():
            found |= await encodings.models(tenant)
        return {model: found[model] for model in sorted(found) if model not in self.model_names}

    async def known_models(self) -> tuple[str, ...]:
        """Return the names of all models that memories may have vectors of, the primary first."""
        return (*self.model_names, *await self.former_models())

    @shared
    async def secondary_encoders(self) -> Mapping[str, Encoder | None]:
        """Return the query encoder of each known model but the primary; None where it is unavailable."""
        encoders: dict[str, Encoder | None] = {}
        if len(self.model_names) > 1:
            encoders[self.model_names[1]] = (await self.models()).fallback_query
        for model, length in (await self.former_models()).items():
            encoders[model] = await self.enter(
                embedding_models.open_former(self.settings.embedding, model, length, self._in_process)
            )
        return encoders

    @shared
    async def tokens(self) -> E5Tokens:
        """Return the token counter."""
        return await load_tokens()

    @shared
    async def models(self) -> embedding_models.Models:
        """Return the embedding models, loaded or connected. Their weights are large: only for encoding."""
        return await self.enter(embedding_models.open_models(self.settings.embedding))

    @shared
    async def _in_process(self) -> embedding_models.Models:
        """Return the model that runs in this process, whatever encodes the memories."""
        if self.settings.embedding.provider == "onnx":
            return await self.models()
        settings = EmbeddingSettings(threads=self.settings.embedding.threads)
        return await self.enter(embedding_models.open_models(settings))

    @shared
    async def reader(self) -> TextReader:
        """Return the reader, which goes on from the states of the model that its own layers belong to."""
        return await embedding_models.open_reader(await self._in_process())

    async def head_encoders(self) -> Sequence[Encoder]:
        """Return the encoder for the heads that read questions; empty where a known model is theirs."""
        if E5 in await self.known_models():
            return ()
        without = "questions are classified by their words alone"
        opened = await embedding_models.opened_if_installed(self._in_process, without)
        return () if opened is None else (opened.query,)

    @shared
    async def condensing_model(self) -> LanguageModel | None:
        """Return the language model that condenses and draws insights; None for the rules alone."""
        use = "memories are condensed"
        step, usual = self.settings.condensing, self.settings.llm
        return await self.enter(open_llm(step, usual, self.clock, use))

    async def batcher(self, *, fallback: bool = True) -> EmbeddingBatcher:
        """Return a running embedding batcher."""
        models = await self.models()
        settings = self.settings.embedding
        return await self.enter(
            embedding_models.embedding_batcher(settings, models, self.clock, fallback=fallback)
        )

    async def primary_batcher(self, report: Notify) -> EmbeddingBatcher:
        """Return a batcher without fallback, once the primary model answers; a pull is reported.

        Raises:
            ModelUnavailable: it does not answer.
        """
        await embedding_models.wait_until_ready(self.settings.embedding, self.models, report)
        return await self.batcher(fallback=False)

    @shared
    async def vectors(self) -> VectorIndex:
        """Return the vector index, with a collection for each configured model."""
        stores, settings = self.settings.stores, self.settings.embedding
        if settings.provider == "onnx":
            lengths = {settings.model: DIMENSIONS}
        else:  # only the server knows them
            models = await self.models()
            both = (models.batch, models.fallback)
            lengths = {one.model: one.dimensions for one in both if one is not None}
        if stores.qdrant_url is None:
            self._edge = edge_index(stores)
        index: VectorIndex = self._edge or server_index(stores)
        self._exits.push_async_callback(index.close)
        for model, length in lengths.items():
            await index.prepare(model, length)
        return index

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

    @shared
    async def graph(self) -> FactGraph:
        """Return the graph, whether or not it answers."""
        stores = self.settings.stores
        password = stores.bolt_password.get_secret_value()
        graph = await self.enter(
            open_graph(stores.bolt_url, stores.bolt_user, password, database=stores.bolt_database)
        )
        self._exits.push_async_callback(self.graph_gate.close)
        return graph

    async def graph_projector(self) -> GraphProjector:
        """Return the projector of facts to the graph."""
        return GraphProjector(await self.store(FactSource), await self.graph())

    async def ask_database(self) -> None:
        """Raise StoreUnavailable unless PostgreSQL answers."""
        async with (await self.database()).unscoped() as connection:
            await connection.fetchval("select 1")

    async def _ask_vectors_to_write(self) -> None:
        """Raise IndexUnavailable unless the vector index answers and has room for more."""
        await (await self.vectors()).count(_NOBODY, self.model_names[0], Scope(user_id=_NOBODY))
        stores = self.settings.stores
        if stores.qdrant_url is None and stores.qdrant_dir is not None:
            await asyncio.to_thread(FreeSpace(stores.qdrant_dir, stores.qdrant_min_free_mb).require)

    async def _ask_graph(self) -> None:
        """Raise GraphUnavailable unless the graph answers."""
        if not await (await self.graph()).health():
            raise GraphUnavailable("the graph does not answer")

    async def graph_answers(self) -> bool:
        """Return whether the graph answers; it is asked every two seconds, in the background."""
        return await self.graph_gate.answers(_GRAPH_HEALTH_S, self.settings.stores.bolt_timeout_s)

    async def record_dead_letter(self, letter: DeadLetter, publish: Callable[[], Awaitable[None]]) -> None:
        """Publish a dead letter by `publish`, and store its reason; neither of a forgotten message.

        Raises:
            StoreUnavailable: the reason could not be stored.
        """
        tenant = letter.refers_to.tenant
        if tenant is None:
            await publish()
        else:
            await (await self.store(LifecycleStore)).record_dead_letter(tenant, letter, publish)
