"""One-off jobs: preparing the servers, backfill, reindex, restoring an export, and what backups need."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Final

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.port import StreamsTooLarge
from ricordo.client import MemoryClient
from ricordo.clock import SystemClock
from ricordo.settings import Settings
from ricordo.store.database import Database
from ricordo.store.exports import ExportStore
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.imports import ImportStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import BackfillStore, ReembeddingStore
from ricordo.store.schema import Tombstone, carry_tombstones, migrate
from ricordo.store.stages import EncodingStore
from ricordo.store.working_memory_store import NoteStore
from ricordo_services.app.language_models import open_describer
from ricordo_services.app.resources import Resources
from ricordo_services.app.server_connections import bus_settings, topology
from ricordo_services.app.worker_builders import build_reindexing, enrich_handler
from ricordo_services.embedding.reembedding import Reembedding
from ricordo_services.enrichment.enrichment_handler import Backfill
from ricordo_services.job_progress import (
    BackfillOrder,
    BackfillProgress,
    Notify,
    ReindexOrder,
    ReindexProgress,
    Report,
    served_at,
    waiting_for,
)
from ricordo_services.knowledge.graph_projector import GraphRebuild
from ricordo_services.lifecycle.export_restore import ExportRestore

__all__ = [
    "ExportRestore",
    "forget_again",
    "open_restore",
    "prepare",
    "run_backfill",
    "run_reindex",
    "stored_users",
]


_REQUESTS: Final = 4  # to the model, in a slice of memories that are encoded again
_SMALLER: Final = (
    "RICORDO_BUS__INPUT_BYTES, RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES make them smaller"
)


async def prepare(settings: Settings) -> list[str]:
    """Bring the database's schema and the bus's streams to this version, and return what was done.

    Idempotent, and safe in any number of processes at once.

    Raises:
        SchemaTooNew, SchemaTooOld: the schema is of a version that this one cannot upgrade.
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
    settings: Settings,
    order: BackfillOrder,
    report: Report[BackfillProgress] = lambda _: None,
    notify: Notify = lambda _: None,
) -> BackfillProgress:
    """Derive again what former versions derived, or encode again; `notify` takes what is waited for."""
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        make = _reembed if order.part == "vectors" else _backfill
        return await (await make(resources, order, notify)).run(order, report)


async def _backfill(resources: Resources, order: BackfillOrder, notify: Notify) -> Backfill:
    step, describer = resources.settings.enrichment, None
    if not order.dry:  # a dry run needs no model, which may have to be fetched and loaded first
        async with waiting_for(served_at(step), notify):
            opening = open_describer(resources.settings, resources.clock, wait_for_model=True)
            describer = await resources.enter(opening)
    return Backfill(
        enrichment=await enrich_handler(resources, describer),
        model=step.llm or None,
        outdated=await resources.store(BackfillStore),
        lifecycle_store=await resources.store(LifecycleStore),
        emitter=await resources.emitter("enrichment"),
        index=await resources.backlog("index-bulk"),
        clock=resources.clock,
        models=await resources.known_models(),
        batch=step.batch,
    )


async def _reembed(resources: Resources, _order: BackfillOrder, notify: Notify) -> Reembedding:
    return Reembedding(
        former=await resources.store(ReembeddingStore),
        encodings=await resources.store(EncodingStore),
        lifecycle_store=await resources.store(LifecycleStore),
        emitter=await resources.emitter("embedding"),
        batcher=lambda: resources.primary_batcher(notify),
        index=await resources.backlog("index-bulk", "index-changes"),
        clock=resources.clock,
        model=resources.model_names[0],
        keep=resources.model_names,
        batch=_REQUESTS * resources.settings.embedding.batch,
    )


async def run_reindex(
    settings: Settings, order: ReindexOrder, report: Report[ReindexProgress] = lambda _: None
) -> ReindexProgress:
    """Write a projection anew from PostgreSQL."""
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        if order.projection == "vectors":
            return await (await build_reindexing(resources)).run(order, report)
        lifecycle_store = await resources.store(LifecycleStore)
        projector = await resources.graph_projector()
        return await GraphRebuild(
            projector=projector, lifecycle_store=lifecycle_store, clock=resources.clock
        ).run(order, report)


@asynccontextmanager
async def open_restore(
    settings: Settings, tenant: str, user_id: str, client: MemoryClient
) -> AsyncIterator[ExportRestore]:
    """Open the servers, and yield what restores a user's export besides the messages.

    Raises:
        BusUnavailable, StoreUnavailable: a server does not answer.
    """
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        database, executor = await resources.database(), await resources.cpu_executor()
        yield ExportRestore(
            tenant=tenant,
            user_id=user_id,
            client=client,
            imports=ImportStore(database, executor),
            ledger=FactLedger(database, executor),
            note_store=NoteStore(database),
            emitter=await resources.emitter("lifecycle"),
            clock=resources.clock,
            note_lifetime=timedelta(hours=settings.lifecycle.working_memory_h),
        )


async def stored_users(settings: Settings, tenant: str) -> AsyncGenerator[str, None]:
    """Yield the users of a tenant of whom anything is stored, in order.

    Raises:
        StoreUnavailable: PostgreSQL does not answer.
    """
    async with Database.connect(settings.stores.postgres_dsn.get_secret_value(), size=1) as database:
        holdings, after = ExportStore(database), ""
        while (user := await holdings.next_user(tenant, after)) is not None:
            yield user
            after = user


async def forget_again(admin_dsn: str, stones: Sequence[Tombstone]) -> int:
    """Repeat erasures in a restored database, which is migrated to this version first.

    Returns:
        The number of erasures that begin anew; the workers on that database carry them out.

    Raises:
        SchemaTooNew, SchemaTooOld: the schema is of a version that this one cannot upgrade.
        StoreUnavailable: PostgreSQL does not answer.
    """
    await migrate(admin_dsn)
    return await carry_tombstones(admin_dsn, stones)
