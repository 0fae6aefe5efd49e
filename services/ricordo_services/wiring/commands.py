"""The servers of commands, each run by the worker that owns what they change."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from ricordo.ports.graph import GraphUnavailable
from ricordo.ports.identity import KnowledgeLedger
from ricordo.ports.memories import StoreUnavailable
from ricordo.ports.unavailable import Unavailable
from ricordo.runtime.queries import QueryServer, ServerSettings
from ricordo.runtime.replies import QueryRoute
from ricordo_services.knowledge.commands import CorrectFact, IdentifyNames, Settle, VerifyFact
from ricordo_services.resources import Resources
from ricordo_services.wiring.projecting import following

_AT_ONCE = 4  # each waits for its user's turn with a connection to the database in hand


async def commands_on_facts(resources: Resources, ledger: KnowledgeLedger) -> QueryServer:
    """Return the server of the commands that settle facts, and who is who."""
    bus, settings = await resources.bus(), resources.settings
    patience = settings.bus.query_timeout_s / 2  # the rest is for reading and writing
    follow = await following(resources, patience)
    ask_servers = _asking_servers(resources, patience)
    settle = Settle(ledger, follow, resources.clock, ask_servers)
    routed = partial(QueryRoute, deadline=settings.bus.query_timeout_s)
    return QueryServer(
        name="knowledge-commands",
        kind="command",
        routes={
            "command.verify": routed(handler=VerifyFact(settle)),
            "command.correct": routed(handler=CorrectFact(settle)),
            "command.identify": routed(handler=IdentifyNames(ledger, follow, ask_servers)),
        },
        responder=bus,
        publisher=bus,
        clock=resources.clock,
        settings=ServerSettings(concurrency=_AT_ONCE, grace=settings.worker.grace_s),
        precedence=resources.precedence,
        alone=True,
    )


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
