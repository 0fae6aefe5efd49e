"""The retrieval worker: what answers queries."""

import asyncio
from functools import partial

from ricordo.language.topics import topic_key
from ricordo.memory.ranking.fusion import Minimums
from ricordo.runtime.process import Service
from ricordo.runtime.queries import QueryServer, ServerSettings
from ricordo.runtime.replies import QueryRoute
from ricordo.store.documents import PostgresDocuments
from ricordo.store.habits import PostgresHabits
from ricordo.store.ledger import PostgresFactLedger
from ricordo.store.recollection import PostgresRecollection
from ricordo_services.models import works_by
from ricordo_services.resources import Resources
from ricordo_services.retrieval.at_hand import Working
from ricordo_services.retrieval.context import Context
from ricordo_services.retrieval.encoding import FormerModels
from ricordo_services.retrieval.entity_lookup import EntityLookup
from ricordo_services.retrieval.fitting import fit_context, fit_facts, fit_history, fit_recall, fit_timeline
from ricordo_services.retrieval.key_topics import KeyTopics
from ricordo_services.retrieval.lookups import Expand, Facts, History, Stats, Status, Timeline
from ricordo_services.retrieval.patterns import UserPatterns
from ricordo_services.retrieval.profiles import profiles_for
from ricordo_services.retrieval.ranking import Rank
from ricordo_services.retrieval.recall import Recall, Remember
from ricordo_services.retrieval.search import Search
from ricordo_services.retrieval.tellings import Tellings
from ricordo_services.wiring.working import reader_of_working_memory


async def retrieval(resources: Resources) -> list[Service]:
    """Return the server of every query."""
    settings, bus = resources.settings, await resources.bus()
    await _opened(resources)
    remember = await remembering(resources)
    server = QueryServer(
        name="retrieval",
        kind="query",
        routes=await _routes(resources, remember),
        responder=bus,
        publisher=bus,
        clock=resources.clock,
        settings=ServerSettings(concurrency=settings.bus.concurrent_queries, grace=settings.worker.grace_s),
        precedence=resources.precedence,
    )
    server.health.works_by = works_by(settings.embedding)
    server.health.trouble = lambda: remember.former.trouble
    return [server]


async def _opened(resources: Resources) -> None:
    """Open what takes long to open, at once: no first question waits for it."""
    beside = await resources.beside()
    warming = beside.each(partial(topic_key, language="en"), ["topic"])  # dictionary forms load with it
    await asyncio.gather(resources.models(), resources.graph(), warming)


async def _routes(resources: Resources, remember: Remember) -> dict[str, QueryRoute]:
    recollection = await resources.store(PostgresRecollection)
    ledger = await resources.store(PostgresFactLedger)
    known = await resources.store(PostgresDocuments)
    lookup = EntityLookup(ledger, await resources.graph(), resources.graph_answers)
    context = await contextual(resources, remember)
    routed = partial(QueryRoute, deadline=resources.settings.bus.query_timeout_s)
    return {
        "query.recall": routed(handler=Recall(remember), fit=fit_recall),
        "query.context": routed(handler=context, fit=fit_context),
        "query.working": routed(handler=Working(context.at_hand)),
        "query.history": routed(handler=History(recollection), fit=fit_history),
        "query.facts": routed(handler=Facts(ledger, lookup), fit=fit_facts),
        "query.timeline": routed(handler=Timeline(recollection), fit=fit_timeline),
        "query.status": routed(handler=Status(recollection, known)),
        "query.stats": routed(handler=Stats(recollection)),
        "query.expand": routed(handler=Expand(recollection, known), fit=fit_timeline),
    }


async def contextual(resources: Resources, remember: Remember) -> Context:
    """Return what makes a context of what is recalled."""
    return Context(
        remember,
        await resources.store(PostgresRecollection),
        await reader_of_working_memory(resources),
        UserPatterns(await resources.store(PostgresHabits), resources.clock),
        resources.clock,
    )


async def remembering(resources: Resources) -> Remember:
    """Return what recalls."""
    model, ranking = resources.model_names[0], resources.settings.ranking
    encoder, beside = (await resources.models()).query, await resources.beside_primary()
    recollection = await resources.store(PostgresRecollection)
    former = tuple(await resources.former_models())
    others = tuple(one for one in beside.values() if one is not None)
    own_index = await resources.own_index()
    return Remember(
        recollection=recollection,
        ledger=await resources.store(PostgresFactLedger),
        search=Search(await resources.known_vectors(), model, ranking.fusion, ranking.hybrid, tuple(beside)),
        rank=Rank(recollection, KeyTopics(encoder)),
        encoder=encoder,
        other_encoders=others,
        head_encoders=await resources.head_encoders(),
        tellings=Tellings((encoder, *others)),
        former=FormerModels(former, tuple(one for one in former if beside[one] is None)),
        graph_answers=resources.graph_answers,
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
        encode_within_s=resources.settings.embedding.query_within_s,
        points_are_missing=bool if own_index is None else own_index.rebuild_wanted.is_set,
    )
