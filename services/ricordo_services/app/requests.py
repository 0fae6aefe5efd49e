"""The servers of queries and commands, and the handler behind each route."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from ricordo.graph.port import GraphUnavailable
from ricordo.language.topics import topic_key
from ricordo.memory.ranking.fusion import Minimums
from ricordo.messages.base import Message
from ricordo.messages.commands import Correct, Export, Feedback, Note, Pin, Verify
from ricordo.messages.errors import ErrorCode
from ricordo.runtime.derived_events import BusEmitter
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.runtime.query_server import QueryServer, ServerSettings
from ricordo.runtime.replies import QueryHandler, QueryResult, QueryRoute, RequestError
from ricordo.store.curation_store import CurationStore
from ricordo.store.database import StoreUnavailable
from ricordo.store.document_store import DocumentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.exports import ExportStore
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.memory_queries import MemoryQueries, StyleQueries
from ricordo.store.working_memory_store import NoteStore, WorkingMemoryStore
from ricordo.unavailable import Unavailable
from ricordo_services.app.embedding_models import describe_models
from ricordo_services.app.resources import Resources
from ricordo_services.ingest.exporting import HandOver
from ricordo_services.knowledge.commands import CorrectFact, FactRejection, IdentifyNames, Settle, VerifyFact
from ricordo_services.knowledge.erasing import Erasure, Erasures, ForgetOnRequest
from ricordo_services.knowledge.letters import DeadLetters
from ricordo_services.lifecycle.commands import CorrectMemory, FeedbackOnRecall, PinMemory, VerifyMemory
from ricordo_services.lifecycle.notes import TakeNote
from ricordo_services.retrieval.context import Context
from ricordo_services.retrieval.encoding import FormerModels
from ricordo_services.retrieval.entity_lookup import EntityLookup
from ricordo_services.retrieval.fitting import fit_context, fit_facts, fit_history, fit_recall, fit_timeline
from ricordo_services.retrieval.key_topics import KeyTopics
from ricordo_services.retrieval.lookups import Expand, Facts, History, Stats, Status, Timeline
from ricordo_services.retrieval.patterns import UserPatterns
from ricordo_services.retrieval.profiles import profiles_for
from ricordo_services.retrieval.ranking import Rank
from ricordo_services.retrieval.recall import Recall, RecallService
from ricordo_services.retrieval.search import Search
from ricordo_services.retrieval.tellings import Tellings
from ricordo_services.retrieval.working_memory_reader import Working, WorkingMemoryReader

_RESUME_EVERY_S: Final = 10.0
_FACT_COMMANDS: Final = 4  # at once: each holds a connection while it waits for its user's lock
_EXPORTED_PAGES: Final = 2  # at once: each is held in memory, and so is a document
_MEMORY_ID: Final = "this is a memory's id, not a fact's: name it as memory_id (--memory on the command line)"


async def query_server(resources: Resources) -> QueryServer:
    """Return the server of every query. Opens models and graph, so that no first question waits for them."""
    executor = await resources.cpu_executor()
    warming = executor.map(partial(topic_key, language="en"), ["topic"])  # loads the dictionary forms
    await asyncio.gather(resources.models(), resources.graph(), warming)
    remember = await recall_service(resources)
    recollection = await resources.store(MemoryQueries)
    ledger = await resources.store(FactLedger)
    documents = await resources.store(DocumentStore)
    lookup = EntityLookup(ledger, await resources.graph(), resources.graph_answers)
    context = await context_builder(resources, remember)
    route = _routing(resources)
    server = QueryServer(
        name="retrieval",
        kind="query",
        routes={
            "query.recall": route(handler=Recall(remember), fit=fit_recall),
            "query.context": route(handler=context, fit=fit_context),
            "query.working": route(handler=Working(context.at_hand)),
            "query.history": route(handler=History(recollection), fit=fit_history),
            "query.facts": route(handler=Facts(ledger, lookup), fit=fit_facts),
            "query.timeline": route(handler=Timeline(recollection), fit=fit_timeline),
            "query.status": route(handler=Status(recollection, documents)),
            "query.stats": route(handler=Stats(recollection)),
            "query.expand": route(handler=Expand(recollection, documents), fit=fit_timeline),
        },
        responder=await resources.bus(),
        publisher=await resources.bus(),
        clock=resources.clock,
        settings=_at_once(resources, resources.settings.bus.concurrent_queries),
        priority=resources.priority,
    )
    server.health.models = describe_models(resources.settings.embedding)
    server.health.problem = lambda: remember.former.problem
    return server


async def recall_service(resources: Resources) -> RecallService:
    """Return the service behind `query.recall` and `query.context`."""
    model, ranking = resources.model_names[0], resources.settings.ranking
    encoder, secondary = (await resources.models()).query, await resources.secondary_encoders()
    recollection = await resources.store(MemoryQueries)
    former = tuple(await resources.former_models())
    others = tuple(one for one in secondary.values() if one is not None)
    index = await resources.local_index()
    return RecallService(
        recollection=recollection,
        ledger=await resources.store(FactLedger),
        search=Search(
            await resources.known_vectors(), model, ranking.fusion, ranking.hybrid, tuple(secondary)
        ),
        rank=Rank(recollection, KeyTopics(encoder)),
        encoder=encoder,
        other_encoders=others,
        head_encoders=await resources.head_encoders(),
        tellings=Tellings((encoder, *others)),
        former=FormerModels(former, tuple(one for one in former if secondary[one] is None)),
        clock=resources.clock,
        analyser=await resources.analyser(),
        profile=ranking.profile,
        profiles=profiles_for(model, ranking.weights),
        minimums=Minimums(
            idf=ranking.min_idf,
            semantic_score=ranking.min_semantic_score,
            similarity=ranking.min_similarity,
        ),
        fact_confidence=ranking.fact_confidence,
        encode_within_s=resources.settings.embedding.query_timeout_s,
        points_are_missing=bool if index is None else index.rebuild_wanted.is_set,
    )


async def context_builder(resources: Resources, remember: RecallService) -> Context:
    """Return the handler of `query.context`."""
    return Context(
        remember,
        await resources.store(MemoryQueries),
        await working_memory_reader(resources),
        UserPatterns(await resources.store(StyleQueries), resources.clock),
        resources.clock,
    )


async def working_memory_reader(resources: Resources) -> WorkingMemoryReader:
    """Return the reader of working memory."""
    lifetime = timedelta(hours=resources.settings.lifecycle.working_memory_h)
    desks = await resources.store(WorkingMemoryStore)
    return WorkingMemoryReader(desks, await resources.tokens(), resources.clock, lifetime)


async def memory_commands(resources: Resources) -> dict[str, QueryRoute]:
    """Return the routes of the commands that the lifecycle worker answers."""
    curating, clock, route = await resources.store(CurationStore), resources.clock, _routing(resources)
    lifetime = timedelta(hours=resources.settings.lifecycle.working_memory_h)
    notebook = await resources.store(NoteStore)
    return {
        Feedback.name: route(handler=FeedbackOnRecall(curating, clock)),
        Pin.name: route(handler=PinMemory(curating, clock)),
        Note.name: route(handler=TakeNote(notebook, clock, lifetime)),
    }


async def fact_commands(resources: Resources, ledger: FactLedger) -> list[Service]:
    """Return the server of the commands on facts, names and forgetting, and the job that resumes erasures.

    `verify` and `correct` may name a fact or a memory. One server answers all requests of a name, so that
    each is answered once: that of the knowledge worker, since facts need the graph.
    """
    clock, patience = resources.clock, resources.settings.bus.query_timeout_s / 2  # the rest is for the work
    follow = await resources.graph_projector(patience)
    check_servers = _server_check(resources, patience)
    settle = Settle(ledger, follow, clock, check_servers)
    curating = await resources.store(CurationStore)
    rows = await resources.store(MemoryQueries)
    erasing = ErasureStore(await resources.database(), await resources.cpu_executor())
    erasures = await _erasures(resources, erasing)
    route = _routing(resources)
    server = QueryServer(
        name="knowledge-commands",
        kind="command",
        routes={
            "command.verify": route(
                handler=MemoryOrFactHandler(VerifyMemory(curating, clock), VerifyFact(settle), rows)
            ),
            "command.correct": route(
                handler=MemoryOrFactHandler(CorrectMemory(curating, clock), CorrectFact(settle), rows)
            ),
            "command.reject": route(handler=FactRejection(settle)),
            "command.identify": route(handler=IdentifyNames(ledger, follow, check_servers)),
            "command.forget": route(
                handler=ForgetOnRequest(erasing, erasures, clock, check_servers, patience)
            ),
        },
        responder=await resources.bus(),
        publisher=await resources.bus(),
        clock=clock,
        settings=_at_once(resources, _FACT_COMMANDS),
        priority=resources.priority,
        exclusive=True,
    )
    return [server, Periodic(name="erasures", job=erasures.resume, interval=_RESUME_EVERY_S, clock=clock)]


async def export_server(resources: Resources) -> QueryServer:
    """Return the server of `command.export`; it runs where documents are kept."""
    handler = HandOver(await resources.store(ExportStore), await resources.documents())
    return QueryServer(
        name="export",
        kind="command",
        routes={Export.name: _routing(resources)(handler=handler)},
        responder=await resources.bus(),
        publisher=await resources.bus(),
        clock=resources.clock,
        settings=_at_once(resources, _EXPORTED_PAGES),
        priority=resources.priority,
        exclusive=True,
    )


@dataclass(frozen=True, slots=True)
class MemoryOrFactHandler:
    """Dispatches a command to the handler of memories or to that of facts, by the id that it names."""

    of_memory: QueryHandler[Any]
    of_fact: QueryHandler[Any]
    rows: MemoryQueries

    async def __call__(self, tenant: str, command: Verify | Correct, /) -> Message | QueryResult:
        """QueryResult the command.

        Raises:
            RequestError: there is no such memory or fact, or a memory is named as a fact.
        """
        if command.memory_id is not None:
            return await self.of_memory(tenant, command)
        try:
            return await self.of_fact(tenant, command)
        except RequestError as refused:
            if refused.body.error.code is not ErrorCode.NOT_FOUND or command.fact_id is None:
                raise
            if not await self.rows.memories(tenant, command.user_id, [command.fact_id]):
                raise
        raise RequestError(ErrorCode.NOT_FOUND, _MEMORY_ID, "fact_id")


def _routing(resources: Resources) -> Callable[..., QueryRoute]:
    return partial(QueryRoute, deadline=resources.settings.bus.query_timeout_s)


def _at_once(resources: Resources, concurrency: int) -> ServerSettings:
    return ServerSettings(concurrency=concurrency, grace=resources.settings.worker.grace_s)


async def _erasures(resources: Resources, erasing: ErasureStore) -> Erasures:
    bus = await resources.bus()
    emitter = BusEmitter(bus, resources.clock, "knowledge")
    erase = Erasure(erasing, await resources.graph_projector(), emitter, DeadLetters(bus))
    erasures = Erasures(erase, await resources.store(LifecycleStore), resources.clock)
    return await resources.open("erasures", erasures)


def _server_check(resources: Resources, patience: float) -> Callable[[], Awaitable[None]]:
    """Return a function that raises if graph or database do not answer within `patience` seconds."""

    async def check(server: Callable[[], Awaitable[None]], unavailable: type[Unavailable]) -> None:
        try:
            async with asyncio.timeout(patience):
                await server()
        except TimeoutError:
            message = f"{unavailable.server} has not answered within {patience:g} seconds"
            raise unavailable(message) from None

    async def check_servers() -> None:
        await asyncio.gather(
            check(resources.ask_graph, GraphUnavailable), check(resources.ask_database, StoreUnavailable)
        )

    return check_servers
