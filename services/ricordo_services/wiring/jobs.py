"""What is done once and ends: preparing the servers, deriving memories again, writing projections anew."""

from contextlib import AsyncExitStack
from typing import Final

from ricordo.bus.nats import open_bus
from ricordo.bus.port import StreamsTooLarge
from ricordo.runtime.emitting import Emitter
from ricordo.settings import Settings
from ricordo.store.former import PostgresFormerVectors
from ricordo.store.indexed import PostgresIndexedMemories
from ricordo.store.life import PostgresLife
from ricordo.store.migrate import migrate
from ricordo.store.outdated import PostgresOutdated
from ricordo.store.projection import PostgresEncodings
from ricordo.system_clock import SystemClock
from ricordo_services.embedding.reembed import Reembed
from ricordo_services.embedding.repoint import Repoint
from ricordo_services.enrichment.backfill import Backfill
from ricordo_services.knowledge.regraph import Regraph
from ricordo_services.models import enriching_model
from ricordo_services.progress.backfill import Backfilled, BackfillOrder, Report
from ricordo_services.progress.reindex import Reindexed, ReindexOrder
from ricordo_services.progress.reindex import Report as ReindexReport
from ricordo_services.progress.waiting import Tell, served_at, waiting_for
from ricordo_services.resources import Resources, bus_settings, topology
from ricordo_services.wiring.enriching import enriching, linking
from ricordo_services.wiring.projecting import mending

_REQUESTS: Final = 4  # to the model, in a slice of memories that are encoded again
_SMALLER: Final = (
    "RICORDO_BUS__INPUT_BYTES, RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES make them smaller"
)


async def prepare(settings: Settings) -> list[str]:
    """Bring the database's schema and the bus's streams to this version; say what was done.

    Safe to call from any number of processes at once, and again.

    Raises:
        SchemaTooNew: a newer version has been here.
        TopologyDrift: a stream differs in a way that no update can mend; the message says what to run.
        StreamsTooLarge: NATS has no room for the streams; the message says which settings make them smaller.
        BusUnavailable, StoreUnavailable: a server does not answer.
    """
    done: list[str] = []
    admin = settings.stores.postgres_admin_dsn
    if admin is not None:
        done += [f"migrated {name}" for name in await migrate(admin.get_secret_value())]
    async with open_bus(bus_settings(settings), topology(settings)) as bus:
        try:
            done += await bus.provision()
        except StreamsTooLarge as error:
            raise StreamsTooLarge(f"{error}; {_SMALLER}", error.needed) from error
    return done


async def run_backfill(
    settings: Settings, order: BackfillOrder, report: Report = lambda _: None, tell: Tell = lambda _: None
) -> Backfilled:
    """Derive again what former versions have derived, or encode again; see `Backfill.run`, `Reembed.run`.

    Args:
        settings: name the servers and the models.
        order: what is meant.
        report: told how far it is.
        tell: told what model is waited for.
    """
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        make = _reembed if order.part == "vectors" else _backfill
        return await (await make(resources, order, tell)).run(order, report)


async def run_reindex(
    settings: Settings, order: ReindexOrder, report: ReindexReport = lambda _: None
) -> Reindexed:
    """Write a projection anew from PostgreSQL; see `Regraph.run`, `Repoint.run`.

    Args:
        settings: name the servers.
        order: what is meant.
        report: told how far it is.
    """
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        make = _regraph if order.projection == "graph" else repoint
        return await (await make(resources)).run(order, report)


async def _regraph(resources: Resources) -> Regraph:
    return Regraph(
        mending=await mending(resources),
        life=await resources.store(PostgresLife),
        clock=resources.clock,
    )


async def repoint(resources: Resources) -> Repoint:
    """Return what has the points of all memories written anew."""
    return Repoint(
        memories=await resources.store(PostgresIndexedMemories),
        life=await resources.store(PostgresLife),
        emitter=Emitter(await resources.bus(), resources.clock, "embedding"),
        index=await resources.backlog(("index", "index-changes")),
        clock=resources.clock,
    )


async def _backfill(resources: Resources, order: BackfillOrder, tell: Tell) -> Backfill:
    # Who only counts needs no model, which may have to be fetched and loaded first.
    async with waiting_for("" if order.dry else served_at(resources.settings.enrichment), tell):
        describer = None if order.dry else await resources.describer(patient=True)
    enrich = await enriching(resources, describer)
    return Backfill(
        deriving=enrich,
        model=enriching_model(resources.settings.enrichment),
        linking=enrich.linking,
        outdated=await resources.store(PostgresOutdated),
        life=await resources.store(PostgresLife),
        emitter=Emitter(await resources.bus(), resources.clock, "enrichment"),
        index=await resources.backlog(("index",)),
        clock=resources.clock,
        models=await resources.known_models(),
        batch=resources.settings.enrichment.batch,
    )


async def _reembed(resources: Resources, _order: BackfillOrder, tell: Tell) -> Reembed:
    return Reembed(
        former=await resources.store(PostgresFormerVectors),
        encodings=await resources.store(PostgresEncodings),
        linking=await linking(resources),
        life=await resources.store(PostgresLife),
        emitter=Emitter(await resources.bus(), resources.clock, "embedding"),
        batcher=lambda: resources.primary_batcher(tell),
        index=await resources.backlog(("index", "index-changes")),
        clock=resources.clock,
        model=resources.model_names[0],
        keep=resources.model_names,
        batch=_REQUESTS * resources.settings.embedding.batch,
    )
