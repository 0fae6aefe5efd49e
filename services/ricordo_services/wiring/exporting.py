"""What hands over all that is held of a user."""

from ricordo.messages.commands import Export
from ricordo.runtime.queries import QueryServer, ServerSettings
from ricordo.runtime.replies import QueryRoute
from ricordo.store.exporting import PostgresHoldings
from ricordo_services.ingest.exporting import HandOver
from ricordo_services.resources import Resources
from ricordo_services.wiring.documents import kept_objects

_AT_ONCE = 2  # pages in the making: each is held in memory, and so is a document


async def exporting(resources: Resources) -> QueryServer:
    """Return the server of `command.export`; it runs where documents are kept."""
    settings, bus = resources.settings, await resources.bus()
    holdings = await resources.store(PostgresHoldings)
    handler = HandOver(holdings, await kept_objects(settings.documents))
    return QueryServer(
        name="export",
        kind="command",
        routes={Export.name: QueryRoute(handler=handler, deadline=settings.bus.query_timeout_s)},
        responder=bus,
        publisher=bus,
        clock=resources.clock,
        settings=ServerSettings(concurrency=_AT_ONCE, grace=settings.worker.grace_s),
        precedence=resources.precedence,
        alone=True,
    )
