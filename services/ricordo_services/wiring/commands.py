"""The routes of commands, each served by the worker that owns what they change.

`verify` and `correct` may name a fact or a memory. One worker answers all of a name, so that each request is
answered once: knowledge, since facts need the graph, which it alone writes. A memory needs PostgreSQL only,
which every worker has, so what takes the user's word on memories works there too, wherever lifecycle runs.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from ricordo.graph.port import GraphUnavailable
from ricordo.messages.base import Message
from ricordo.messages.commands import Correct, Feedback, Note, Pin, Verify
from ricordo.messages.errors import ErrorCode
from ricordo.runtime.emitting import Emitter
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.runtime.queries import QueryServer, ServerSettings
from ricordo.runtime.replies import Answer, QueryHandler, QueryRoute, Refused
from ricordo.store.curating import PostgresCurating
from ricordo.store.erasing import PostgresErasing
from ricordo.store.life import PostgresLife
from ricordo.store.recollection import PostgresRecollection
from ricordo.store.types.identity import KnowledgeLedger
from ricordo.store.types.memories import StoreUnavailable
from ricordo.store.types.recollection import Recollection
from ricordo.store.types.working import Notebook
from ricordo.unavailable import Unavailable
from ricordo_services.knowledge.commands import CorrectFact, FactRejection, IdentifyNames, Settle, VerifyFact
from ricordo_services.knowledge.erasing import Erasure, Erasures, ForgetOnRequest
from ricordo_services.knowledge.letters import DeadLetters
from ricordo_services.lifecycle.commands import CorrectMemory, FeedbackOnRecall, PinMemory, VerifyMemory
from ricordo_services.lifecycle.notes import TakeNote
from ricordo_services.resources import Resources
from ricordo_services.wiring.projecting import following

_TAKEN_UP_EVERY_S = 10.0
_OF_A_MEMORY = "this is a memory's id, not a fact's: name it as memory_id (--memory on the command line)"
_AT_ONCE = 4  # each waits for its user's turn with a connection to the database in hand


async def commands_on_facts(resources: Resources, ledger: KnowledgeLedger) -> list[Service]:
    """Return the server of the commands that settle facts, who is who, and what is forgotten."""
    bus, settings = await resources.bus(), resources.settings
    patience = settings.bus.query_timeout_s / 2  # the rest is for reading and writing
    follow = await following(resources, patience)
    ask_servers = _asking_servers(resources, patience)
    settle = Settle(ledger, follow, resources.clock, ask_servers)
    curating = await resources.store(PostgresCurating)
    routed = partial(QueryRoute, deadline=settings.bus.query_timeout_s)
    rows = await resources.store(PostgresRecollection)
    verify = OfMemoryOrFact(VerifyMemory(curating, resources.clock), VerifyFact(settle), rows)
    correct = OfMemoryOrFact(CorrectMemory(curating, resources.clock), CorrectFact(settle), rows)
    erasing = PostgresErasing(await resources.database(), await resources.beside())
    erasures = await _erasures(resources, erasing)
    forget = ForgetOnRequest(erasing, erasures, resources.clock, ask_servers, patience)
    server = QueryServer(
        name="knowledge-commands",
        kind="command",
        routes={
            "command.verify": routed(handler=verify),
            "command.correct": routed(handler=correct),
            "command.reject": routed(handler=FactRejection(settle)),
            "command.identify": routed(handler=IdentifyNames(ledger, follow, ask_servers)),
            "command.forget": routed(handler=forget),
        },
        responder=bus,
        publisher=bus,
        clock=resources.clock,
        settings=ServerSettings(concurrency=_AT_ONCE, grace=settings.worker.grace_s),
        precedence=resources.precedence,
        alone=True,
    )
    left = Periodic(name="erasures", job=erasures.resume, interval=_TAKEN_UP_EVERY_S, clock=resources.clock)
    return [server, left]


async def _erasures(resources: Resources, erasing: PostgresErasing) -> Erasures:
    """Return what erases in all stores; an erasure has the time that it takes."""
    bus = await resources.bus()
    erase = Erasure(
        erasing,
        await following(resources),
        Emitter(bus, resources.clock, "knowledge"),
        DeadLetters(bus),
    )
    erasures = Erasures(erase, await resources.store(PostgresLife), resources.clock)
    return await resources.opened("erasures", erasures)


async def routes_on_memories(resources: Resources) -> dict[str, QueryRoute]:
    """Return what lifecycle does with the commands on memories."""
    curating, clock = await resources.store(PostgresCurating), resources.clock
    routed = partial(QueryRoute, deadline=resources.settings.bus.query_timeout_s)
    return {
        Feedback.name: routed(handler=FeedbackOnRecall(curating, clock)),
        Pin.name: routed(handler=PinMemory(curating, clock)),
    }


def routes_on_notes(resources: Resources, notebook: Notebook) -> dict[str, QueryRoute]:
    """Return what lifecycle does with the command that puts a value into a conversation's working memory."""
    settings = resources.settings
    take = TakeNote(notebook, resources.clock, timedelta(hours=settings.lifecycle.working_memory_h))
    return {Note.name: QueryRoute(handler=take, deadline=settings.bus.query_timeout_s)}


@dataclass(frozen=True, slots=True)
class OfMemoryOrFact:
    """Hands a command to who takes the user's word on what it names."""

    of_memory: QueryHandler[Any]
    of_fact: QueryHandler[Any]
    rows: Recollection

    async def __call__(self, tenant: str, command: Verify | Correct, /) -> Message | Answer:
        """Answer it; who names a memory as a fact is told so."""
        if command.memory_id is not None:
            return await self.of_memory(tenant, command)
        try:
            return await self.of_fact(tenant, command)
        except Refused as refused:
            if refused.body.error.code is not ErrorCode.NOT_FOUND or command.fact_id is None:
                raise
            if not await self.rows.memories(tenant, command.user_id, [command.fact_id]):
                raise
        raise Refused(ErrorCode.NOT_FOUND, _OF_A_MEMORY, "fact_id")


def _asking_servers(resources: Resources, patience: float) -> Callable[[], Awaitable[None]]:
    """Return what asks both servers at once, and takes who is silent for `patience` seconds for away."""

    async def ask(server: Callable[[], Awaitable[None]], away: type[Unavailable]) -> None:
        try:
            async with asyncio.timeout(patience):
                await server()
        except TimeoutError:
            raise away(f"{away.server} has not answered within {patience:g} seconds") from None

    async def ask_servers() -> None:
        await asyncio.gather(
            ask(resources.ask_graph, GraphUnavailable), ask(resources.ask_database, StoreUnavailable)
        )

    return ask_servers
