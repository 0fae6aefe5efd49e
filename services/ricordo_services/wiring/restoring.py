"""What puts back what messages do not tell of a user."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from ricordo.runtime.emitting import Emitter
from ricordo.settings import Settings
from ricordo.store.ledger import PostgresFactLedger
from ricordo.store.restoring import PostgresRestoring
from ricordo.store.working import PostgresNotebook
from ricordo.system_clock import SystemClock
from ricordo_services.lifecycle.restoring import Names, Restore
from ricordo_services.resources import Resources
from ricordo_services.wiring.projecting import following

__all__ = ["Restore", "restoring"]


@asynccontextmanager
async def restoring(settings: Settings, tenant: str, user_id: str) -> AsyncIterator[Restore]:
    """Open the servers, and yield what puts back what is known of a user elsewhere.

    Raises:
        BusUnavailable, StoreUnavailable, GraphUnavailable: a server does not answer.
    """
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        database, beside = await resources.database(), await resources.beside()
        yield Restore(
            tenant=tenant,
            user_id=user_id,
            names=Names(tenant),
            restoring=PostgresRestoring(database, beside),
            ledger=PostgresFactLedger(database, beside),
            follow=await following(resources),
            notebook=PostgresNotebook(database),
            emitter=Emitter(await resources.bus(), resources.clock, "lifecycle"),
            clock=resources.clock,
        )
