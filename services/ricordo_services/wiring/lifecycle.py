"""The lifecycle worker: events of use and time, the passes, commands, and the sweeper."""

from datetime import timedelta

from ricordo.messages.ways import ANSWERED_ELSEWHERE
from ricordo.runtime.emitting import Emitter
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.runtime.queries import QueryServer
from ricordo.runtime.sweeper import Sweeper
from ricordo.runtime.worker import Bus
from ricordo.store.life import PostgresLife
from ricordo.store.sessions import PostgresSessions
from ricordo.store.working import PostgresNotebook
from ricordo_services.lifecycle.handlers import EndSession, Reinforce
from ricordo_services.lifecycle.notes import tidy_notes
from ricordo_services.lifecycle.passes import Reconcile, tidy
from ricordo_services.resources import SWEEPER, SWEPT, Resources
from ricordo_services.wiring.commands import routes_on_memories, routes_on_notes
from ricordo_services.wiring.consuming import SETS_A_STAGE, USE_LINGERS_S, event_worker
from ricordo_services.wiring.passes import by_the_clock, nightly


async def lifecycle(resources: Resources) -> list[Service]:
    """Return what reinforces, fades, tidies, reconciles and sweeps."""
    settings, clock = resources.settings.lifecycle, resources.clock
    bus, life = await resources.bus(), await resources.store(PostgresLife)
    emitter = Emitter(bus, clock, "lifecycle")
    notebook = await resources.store(PostgresNotebook)

    async def daily() -> None:
        await tidy(life, clock.now(), timedelta(days=settings.uses_kept_days))
        await tidy_notes(life, notebook, clock.now(), timedelta(hours=settings.working_memory_h))

    reconcile = Reconcile(
        life,
        emitter,
        await resources.backlog(SETS_A_STAGE),
        clock,
        resources.model_names[0],
        timedelta(seconds=settings.reconcile_after_s),
    )
    return [
        await event_worker(resources, "reinforce", Reinforce(life), linger=USE_LINGERS_S),
        await event_worker(resources, "sessions", EndSession(await resources.store(PostgresSessions), clock)),
        *await by_the_clock(resources),
        Periodic(name="tidy", job=daily, interval=nightly(settings), clock=clock),
        Periodic(name="reconcile", job=reconcile.run, interval=settings.reconcile_every_s, clock=clock),
        QueryServer(
            name="commands",
            kind="command",
            routes={**await routes_on_memories(resources), **routes_on_notes(resources, notebook)},
            responder=bus,
            publisher=bus,
            clock=clock,
            precedence=resources.precedence,
            elsewhere=ANSWERED_ELSEWHERE,
        ),  # a command without a route is answered with `unavailable`
        Sweeper(
            consumer=SWEEPER,
            bus=Bus(subscriptions=bus, publisher=bus),
            streams=bus,
            sweeps=SWEPT,
            work_queues=bus.topology.work_queues,
            clock=clock,
            on_dead_letter=resources.bury,
        ),
    ]
