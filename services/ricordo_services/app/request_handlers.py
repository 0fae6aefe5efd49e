"""Builds the handlers of queries and commands, and their servers."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from ricordo.language.query_analysis.requested_predicates import MODEL
from ricordo.language.topics import topic_key
from ricordo.memory.ranking.fusion import Minimums
from ricordo.messages.commands import Correct, Verify
from ricordo.messages.errors import ErrorCode
from ricordo.messages.message_types import Message
from ricordo.models.llm_answers import LlmAnswers
from ricordo.models.query_analyser import QueryAnalyser
from ricordo.runtime.handling import QueryResult, QueryRoute, RequestError
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.runtime.query_server import QueryServer
from ricordo.store.curation_store import CurationStore
from ricordo.store.database import StoreUnavailable
from ricordo.store.document_store import DocumentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.exports import ExportStore
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.listing_store import Listings
from ricordo.store.memory_queries import MemoryQueries
from ricordo.store.recall_queries import RecallQueries
from ricordo.store.working_memory_store import NoteStore, WorkingMemoryStore
from ricordo_services.app.embedding_models import (
    describe_models,
    open_answer_reader,
    precision_in_process,
)
from ricordo_services.app.language_models import open_llm
from ricordo_services.app.resources import Resources
from ricordo_services.app.service_factories import query_server
from ricordo_services.ingest.export_pages import ExportHandler
from ricordo_services.knowledge.bot_assertions import BotAssertions
from ricordo_services.knowledge.erasure_service import Erasure, Erasures, ForgetOnRequest
from ricordo_services.knowledge.fact_commands import FactCommands
from ricordo_services.lifecycle.lifecycle_handlers import MemoryCommands, NoteHandler
from ricordo_services.retrieval.answering import AnswerService
from ricordo_services.retrieval.cached_readers import UserPatterns, WorkingMemoryReader
from ricordo_services.retrieval.connections import Connections
from ricordo_services.retrieval.context import Context
from ricordo_services.retrieval.follow_ups import FollowUps
from ricordo_services.retrieval.listing_scopes import ListingScopes
from ricordo_services.retrieval.lookups import FactLookups, MemoryBrowser, MemoryLookups
from ricordo_services.retrieval.pages import EntityPages, MemoryPages, MemoryPeriods, UserPages
from ricordo_services.retrieval.question import ExampleEncoder, FormerModels, QuestionReader
from ricordo_services.retrieval.recall import RecallService, profiles_for
from ricordo_services.retrieval.recall_material import Gathering
from ricordo_services.retrieval.related_memories import RelatedMemories
from ricordo_services.retrieval.reply_truncation import (
    fit_context,
    fit_entities,
    fit_facts,
    fit_graph,
    fit_history,
    fit_memories,
    fit_memory,
    fit_periods,
)
from ricordo_services.retrieval.search import Search

_RESUME_EVERY_S: Final = 10.0
_FACT_COMMANDS: Final = 4  # at once: each holds a connection while it waits for its user's lock
_ARRIVAL: Final = 0.8
"""Share of a request's time for which an assertion waits for its message."""
_EXPORTED_PAGES: Final = 2  # at once: each is held in memory, and so is a document
_MEMORY_ID: Final = "this is a memory's id, not a fact's: name it as memory_id (--memory on the command line)"


async def queries(resources: Resources) -> QueryServer:
    """Return the server of every query. Opens models and graph, so that no first question waits for them."""
    executor = await resources.cpu_executor()
    warming = executor.map(partial(topic_key, language="en"), ["topic"])  # loads the dictionary forms
    await asyncio.gather(resources.models(), resources.graph(), warming)
    recall, memories = await recall_service(resources), await resources.store(MemoryQueries)
    ledger, graph = await resources.store(FactLedger), await resources.graph()
    facts = FactLookups(ledger, graph, resources.graph_answers)
    lookups = MemoryLookups(memories, await resources.store(DocumentStore))
    floors = resources.settings.lifecycle.floors
    browser = MemoryBrowser(memories, recall.related, resources.clock, floors)
    listings = await resources.store(Listings)
    working_memory = await working_memory_reader(resources)
    patterns = UserPatterns(memories, resources.clock)
    precision = precision_in_process(resources.settings.embedding)
    reader = await resources.enter(open_answer_reader(precision))
    answering = resources.settings.answering
    model = await resources.enter(
        open_llm(answering, resources.settings.llm, resources.clock, "questions are answered")
    )
    writer = model and LlmAnswers(model)
    answers = AnswerService(recall, reader, working_memory.count, answering.min_confidence, writer)
    context = Context(recall, memories, working_memory, patterns, resources.clock)
    entities = EntityPages(listings, resources.clock)
    pages = MemoryPages(memories, listings, recall.gather.scopes, resources.clock)
    server = await query_server(
        resources,
        "retrieval",
        {
            "query.recall": QueryRoute(recall.answer, fit_memories),
            "query.context": QueryRoute(context, fit_context),
            "query.answer": QueryRoute(answers, in_parts=answers.in_parts),
            "query.working": QueryRoute(working_memory.answer),
            "query.history": QueryRoute(lookups.history, fit_history),
            "query.facts": QueryRoute(facts.list_facts, fit_facts),
            "query.graph": QueryRoute(facts.show_graph, fit_graph),
            "query.entities": QueryRoute(entities, fit_entities),
            "query.timeline": QueryRoute(lookups.timeline, fit_memories),
            "query.status": QueryRoute(lookups.status),
            "query.stats": QueryRoute(lookups.stats),
            "query.expand": QueryRoute(lookups.expand, fit_memories),
            "query.memory": QueryRoute(browser.memory, fit_memory),
            "query.memories": QueryRoute(pages, fit_memories),
            "query.periods": QueryRoute(MemoryPeriods(listings), fit_periods),
            "query.users": QueryRoute(UserPages(listings)),
        },
        concurrency=resources.settings.bus.concurrent_queries,
    )
    server.health.models = describe_models(resources.settings.embedding)
    server.health.problem = lambda: recall.analyse.former.problem
    return server


async def recall_service(resources: Resources) -> RecallService:
    """Return the service behind `query.recall` and `query.context`."""
    model, ranking = resources.model_names[0], resources.settings.ranking
    models, secondary = await resources.models(), await resources.secondary_encoders()
    memories, vectors = await resources.store(MemoryQueries), await resources.known_vectors()
    rows, former = await resources.store(RecallQueries), tuple(await resources.former_models())
    others = tuple(one for one in secondary.values() if one is not None)
    index, within_s = await resources.local_index(), resources.settings.embedding.query_timeout_s
    related = RelatedMemories(vectors, (model, *secondary), resources.settings.links.threshold)
    minimums = Minimums(
        idf=ranking.min_idf, semantic_score=ranking.min_semantic_score, similarity=ranking.min_similarity
    )
    search = Search(vectors, model, ranking.fusion, ranking.hybrid, tuple(secondary), minimums)
    working, notes = await working_memory_reader(resources), await resources.store(NoteStore)
    lifetime, heads = _working_memory_lifetime(resources), await resources.head_encoders()
    encoders = (models.query, *others, *heads)
    of_heads = next((one for one in encoders if one.model == MODEL), None)
    usual, use = resources.settings.llm, "questions are analysed"
    asked = open_llm(resources.settings.analyser, usual, resources.clock, use, limited=False)
    return RecallService(
        analyse=QuestionReader(
            analyser=QueryAnalyser(await resources.enter(asked), resources.settings.analyser.cache_size),
            clock=resources.clock,
            encoders=encoders,
            former=FormerModels(former, tuple(one for one in former if secondary[one] is None)),
            within_s=within_s,
        ),
        gather=Gathering(
            queries=rows,
            facts=await resources.store(FactLedger),
            search=search,
            scopes=ListingScopes(await resources.store(Listings)),
            examples=ExampleEncoder((models.statement, *others), within_s),
            statements=models.statement,
            connections=Connections(search, related, rows),
            threshold=ranking.fact_confidence,
            floors=resources.settings.lifecycle.floors,
            points_are_missing=bool if index is None else index.rebuild_wanted.is_set,
        ),
        memories=memories,
        related=related,
        follow_ups=FollowUps(working, notes, memories, resources.clock, of_heads, lifetime),
        profile=ranking.profile,
        profiles=profiles_for(model, ranking.weights),
    )


async def working_memory_reader(resources: Resources) -> WorkingMemoryReader:
    """Return the reader of working memory."""
    store, tokens = await resources.store(WorkingMemoryStore), await resources.tokens()
    return WorkingMemoryReader(store, tokens, resources.clock, _working_memory_lifetime(resources))


def _working_memory_lifetime(resources: Resources) -> timedelta:
    return timedelta(hours=resources.settings.lifecycle.working_memory_h)


async def memory_commands(resources: Resources) -> QueryServer:
    """Return the server of the commands on memories; others are answered with `unavailable`."""
    commands = MemoryCommands(await resources.store(CurationStore), resources.clock)
    store, lifetime = await resources.store(NoteStore), _working_memory_lifetime(resources)
    return await query_server(
        resources,
        "commands",
        {
            "command.feedback": QueryRoute(commands.feedback),
            "command.pin": QueryRoute(commands.pin),
            "command.edit": QueryRoute(commands.edit),
            "command.note": QueryRoute(NoteHandler(store, resources.clock, lifetime)),
        },
    )


async def fact_commands(
    resources: Resources, ledger: FactLedger, project_soon: Callable[[], None]
) -> list[Service]:
    """Return the server of the commands on facts, names and forgetting, and the job that resumes erasures.

    `verify` and `correct` may name a fact or a memory. One server answers all requests of a name, so that
    each is answered once.
    """
    clock, patience = resources.clock, resources.settings.bus.query_timeout_s / 2  # the rest is for the work
    facts = FactCommands(ledger, clock, project_soon, partial(_ask_database, resources, patience))
    memories = MemoryCommands(await resources.store(CurationStore), clock)
    rows = await resources.store(MemoryQueries)
    erasing = ErasureStore(await resources.database(), await resources.cpu_executor())
    projector, emitter = await resources.graph_projector(), await resources.emitter("knowledge")
    erase = Erasure(erasing, projector, emitter, await resources.bus())
    erasures = await resources.enter(Erasures(erase, await resources.store(LifecycleStore), clock))
    forget = ForgetOnRequest(erasing, erasures, clock, patience)
    server = await query_server(
        resources,
        "knowledge-commands",
        {
            "command.verify": QueryRoute(MemoryOrFactHandler(memories.verify, facts.verify, rows)),
            "command.correct": QueryRoute(MemoryOrFactHandler(memories.correct, facts.correct, rows)),
            "command.reject": QueryRoute(facts.reject),
            "command.identify": QueryRoute(facts.identify),
            "command.forget": QueryRoute(forget),
            "command.discard": QueryRoute(forget),
        },
        concurrency=_FACT_COMMANDS,
        exclusive=True,
    )
    arrival = _ARRIVAL * resources.settings.bus.query_timeout_s
    asserting = BotAssertions(ledger, clock, await resources.cpu_executor(), project_soon, arrival)
    assertions = await query_server(
        resources,
        "assertions",
        {"command.assert": QueryRoute(asserting)},
        exclusive=True,
    )
    return [server, assertions, Periodic("erasures", erasures.resume, _RESUME_EVERY_S, resources.clock)]


async def export_server(resources: Resources) -> QueryServer:
    """Return the server of `command.export`; it runs where documents are kept."""
    pages = ExportHandler(await resources.store(ExportStore), await resources.documents())
    routes = {"command.export": QueryRoute(pages)}
    return await query_server(resources, "export", routes, concurrency=_EXPORTED_PAGES, exclusive=True)


@dataclass(frozen=True, slots=True)
class MemoryOrFactHandler:
    """Dispatches a command to the handler of memories or to that of facts, by the id that it names."""

    of_memory: Callable[[str, Any, UUID], Awaitable[QueryResult]]
    of_fact: Callable[[str, Any, UUID], Awaitable[Message]]
    rows: MemoryQueries

    async def __call__(self, tenant: str, command: Verify | Correct, /) -> Message | QueryResult:
        """Answer the command.

        Raises:
            RequestError: there is no such memory or fact, or a memory is named as a fact.
        """
        if command.memory_id is not None:
            return await self.of_memory(tenant, command, command.memory_id)
        if command.fact_id is None:
            raise ValueError("a command names a memory or a fact")
        try:
            return await self.of_fact(tenant, command, command.fact_id)
        except RequestError as refused:
            if refused.body.error.code is not ErrorCode.NOT_FOUND:
                raise
            if not await self.rows.memories(tenant, command.user_id, [command.fact_id]):
                raise
        raise RequestError(ErrorCode.NOT_FOUND, _MEMORY_ID, "fact_id")


async def _ask_database(resources: Resources, patience: float) -> None:
    """Raise `StoreUnavailable` if the database does not answer within `patience` seconds."""
    try:
        async with asyncio.timeout(patience):
            await resources.ask_database()
    except TimeoutError:
        raise StoreUnavailable(f"PostgreSQL has not answered within {patience:g} seconds") from None
