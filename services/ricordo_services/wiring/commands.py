"""The servers of commands, each run by the worker that owns what they change."""

from functools import partial

from ricordo.ports.identity import KnowledgeLedger
from ricordo.runtime.queries import QueryServer, ServerSettings
from ricordo.runtime.replies import QueryRoute
from ricordo_services.knowledge.commands import CorrectFact, IdentifyNames, Settle, VerifyFact
from ricordo_services.resources import Resources

_AT_ONCE = 4  # each waits for its user's turn with a connection to the database in hand


async def commands_on_facts(resources: Resources, ledger: KnowledgeLedger) -> QueryServer:
    """Return the server of the commands that settle facts, and who is who."""
    bus, settings = await resources.bus(), resources.settings
    graph = await resources.graph()
    settle = Settle(ledger, graph, resources.clock, resources.ask_graph)
    routed = partial(QueryRoute, deadline=settings.bus.query_timeout_s)
    return QueryServer(
        name="knowledge-commands",
        kind="command",
        routes={
            "command.verify": routed(handler=VerifyFact(settle)),
            "command.correct": routed(handler=CorrectFact(settle)),
            "command.identify": routed(handler=IdentifyNames(ledger, graph, resources.ask_graph)),
        },
        responder=bus,
        publisher=bus,
        clock=resources.clock,
        settings=ServerSettings(concurrency=_AT_ONCE, grace=settings.worker.grace_s),
        precedence=resources.precedence,
        alone=True,
    )
