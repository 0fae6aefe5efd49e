"""What takes in what bots say: the live lane, the bulk lane, and what waits because somebody says much."""

from dataclasses import replace
from typing import Final

from ricordo.runtime.backoff import Backoff
from ricordo.runtime.emitting import Emitter
from ricordo.runtime.gates import BacklogGate
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.store.intake import PostgresIntake
from ricordo.store.life import PostgresLife
from ricordo.store.types.memories import IntakeLimits
from ricordo_services.backpressure import Pace
from ricordo_services.ingest.admitting import Admit
from ricordo_services.ingest.handlers import Ingest
from ricordo_services.ingest.overtaking import OVERTAKES_EVERY_S, Overtake
from ricordo_services.ingest.turns import LOOK_EVERY_S, Turns
from ricordo_services.resources import Resources
from ricordo_services.wiring.consuming import SETS_A_STAGE, event_worker
from ricordo_services.wiring.documents import documents
from ricordo_services.wiring.exporting import exporting

_PAUSE_S: Final = 0.05  # between two looks for room: in a longer one workers would run out of work
_LONGEST_PAUSE_S: Final = 0.5
_REFUSED: Final = Backoff(first=1.0, longest=30.0)
_NOT_WAITED_FOR: Final = frozenset({"knowledge"})  # what is said is found without its facts


async def ingest(resources: Resources) -> list[Service]:
    """Return the services of the worker `ingest`."""
    worker, quotas, clock = resources.settings.worker, resources.settings.quotas, resources.clock
    storage, reading = await documents(resources)
    limits = IntakeLimits(kept=quotas.messages or None, kept_a_day=quotas.messages_per_day or None)
    bulk = await resources.store(lambda database: PostgresIntake(database, limits))
    paced = replace(limits, under_way=worker.under_way)
    intake = await resources.store(lambda database: PostgresIntake(database, paced))
    # One queue for all: an import must not fill it. What is said live and not taken in yet goes first, too.
    backlog = await resources.backlog((*SETS_A_STAGE, "ingest"))
    pace = Pace(
        backlog, clock, delay=worker.import_delay_s, most=worker.import_backlog, dispensable=_NOT_WAITED_FOR
    )
    gate = BacklogGate(pace.waiting, pace.limit, clock, _PAUSE_S, _LONGEST_PAUSE_S)
    admit = Admit(
        deferred=intake,
        emitter=Emitter(await resources.bus(), clock, "ingest"),
        turns=Turns(await resources.store(PostgresLife), clock),
        gate=gate,
        clock=clock,
    )
    live = Ingest(intake, clock, storage=storage, tell=admit.turns.tell)
    imported = Ingest(bulk, clock, source="import", storage=storage, tell=admit.turns.tell)
    overtake = Overtake(
        bus=await resources.bus(),
        handler=live,
        gate=resources.probe("postgres", resources.ask_database),
        clock=clock,
        precedence=resources.precedence,
    )
    slots = worker.import_slots
    return [
        # One batch after the other: of two bodies under one id, the first published is the first to arrive.
        await event_worker(resources, "ingest", live),
        # Small batches: the gate is looked at before each.
        await event_worker(
            resources, "ingest-bulk", imported, slots=slots, batch=-(-slots // 2), gates=(gate,)
        ),
        Periodic(
            name="overtake", job=overtake.run, interval=OVERTAKES_EVERY_S, clock=clock, backoff=_REFUSED
        ),
        Periodic(name="admit", job=admit.run, interval=LOOK_EVERY_S, clock=clock, woken=admit.turns.woken),
        *reading,
        await exporting(resources),
    ]
