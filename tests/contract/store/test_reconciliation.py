"""Events that a crash or a stream lost are published again."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from tests.contract.store.passes import BUS_AWAY, Emitted, run, total
from tests.contract.store.stores import MODEL, STORED, Stores
from tests.support.factories import at
from tests.support.manual_clock import ManualClock

from ricordo.bus.port import BusUnavailable
from ricordo.language.annotations import Emotion
from ricordo.memory.model import Stage
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import (
    FactsRequested,
    IndexRequested,
    MemoryArchived,
    MemoryChanged,
    MemoryCreated,
    MessageReceived,
    ReadingRequested,
)
from ricordo.runtime.handling import Done, Envelope
from ricordo.store.database import StoreUnavailable
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.session_store import SessionStore
from ricordo_services.ingest.ingest_handler import IngestHandler, LiveLane
from ricordo_services.lifecycle.archiving_passes import DecayPass
from ricordo_services.lifecycle.condensing_passes import SessionSummaries
from ricordo_services.lifecycle.reconciliation import Reconciliation, tidy


@pytest.fixture
def emitted(stores: Stores) -> Emitted:
    return Emitted(tenant=stores.tenant)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime.now(UTC))


async def _archive(stores: Stores, emitted: Emitted) -> None:
    """Let years pass over a memory that matters little."""
    if not await stores.found(stores.id("m-1")):
        await stores.say("m-1")
        await stores.encode("m-1")
        await stores.enrich("m-1", importance=0.0, emotion=Emotion(arousal=0.0))
        await stores.index([stores.id("m-1")])
    decay = DecayPass(stores.lifecycle, stores.retention, emitted)
    await run(decay, stores.tenant, STORED + timedelta(days=2000), "u-1")


async def nothing_waits(_consumer: str) -> None:
    """Return that a consumer has settled all of its events."""


class OneTenant(LifecycleStore):
    """Knows of one tenant only: the tests of a process share a database, which has hundreds."""

    def __init__(self, stores: Stores) -> None:
        super().__init__(stores.database)
        self._tenant = stores.tenant

    async def tenants(self) -> Sequence[str]:
        return [self._tenant]


def _reconcile(stores: Stores, emitted: Emitted, clock: ManualClock) -> Reconciliation:
    return Reconciliation(OneTenant(stores), emitted, nothing_waits, clock)


def _received(stores: Stores, *names: str) -> list[Envelope[MessageReceived]]:
    common = {"user_id": "u-1", "conversation_id": "c-1", "role": "user", "timestamp": at(0)}
    bodies = [MessageReceived.model_validate(common | {"id": name, "content": name}) for name in names]
    return [Envelope(stores.tenant, uuid4(), "message.received", body, 1, None, at(0)) for body in bodies]


def _moves(emitted: Emitted) -> list[DerivedEvent]:
    return [event for event in emitted.events if isinstance(event, MemoryArchived | MemoryChanged)]


async def test_a_return_from_the_archive_is_emitted_again_too(
    stores: Stores, emitted: Emitted, clock: ManualClock
) -> None:
    await _archive(stores, emitted)
    await stores.use(stores.id("m-1"))  # and its event is lost
    emitted.events.clear()
    await clock.advance(3 * 60)
    await _reconcile(stores, emitted, clock).run()
    (event,) = _moves(emitted)
    assert isinstance(event, MemoryChanged)
    assert (event.memory_id, event.fields) == (stores.id("m-1"), ("archived_at",))
    assert (await stores.memory()).archived_at is None


@pytest.mark.parametrize("change", ["a message before it", "enrichment again"])
async def test_a_point_that_a_lost_event_left_out_of_date_is_written_again(
    stores: Stores, emitted: Emitted, clock: ManualClock, change: str
) -> None:
    await stores.record(*(stores.message(f"m-{n}", minute=n) for n in (1, 3)), at=clock.now())
    await stores.set_stages("m-1", "m-3", at=clock.now())
    await clock.advance(3600)
    if change == "a message before it":
        await stores.record(stores.message("m-2", minute=2), at=clock.now())
        await stores.encode("m-2", at=clock.now())
    else:
        await stores.set_stages("m-3", stages=[Stage.ENRICHED], at=clock.now())
    reconcile = _reconcile(stores, emitted, clock)
    await reconcile.run()
    assert emitted.events == [], "its event is published only now"
    await clock.advance(61)
    await reconcile.run()
    again = [event for event in emitted.events if isinstance(event, IndexRequested)]
    assert [event.memory_id for event in again] == [stores.id("m-3")]


async def test_a_lost_event_is_published_again_once_a_minute_at_most(
    stores: Stores, emitted: Emitted, clock: ManualClock
) -> None:
    await stores.record(stores.message("m-1"), at=clock.now())
    reconcile = _reconcile(stores, emitted, clock)
    counts = []
    for _ in range(5):
        await reconcile.run()
        counts.append(len(emitted.events))
        await clock.advance(31)
    assert counts == [0, 0, 1, 1, 2]
    await clock.advance(60)
    await asyncio.gather(*(_reconcile(stores, emitted, clock).run() for _ in range(3)))
    assert len(emitted.events) == 3, "one process at a time"


async def test_an_event_that_an_older_one_precedes_is_late_and_not_lost(
    stores: Stores, emitted: Emitted, clock: ManualClock
) -> None:
    await stores.record(stores.message("m-1"), at=clock.now())
    began = clock.now()

    async def waiting(consumer: str) -> datetime | None:
        return began if consumer in {"encode-bulk", "knowledge"} else None

    reconcile = Reconciliation(OneTenant(stores), emitted, waiting, clock)
    await clock.advance(590)
    await reconcile.run()
    assert emitted.events == []
    await clock.advance(20)
    await reconcile.run()
    assert [type(event) for event in emitted.events] == [ReadingRequested], "after ten minutes regardless"


async def test_the_event_before_each_lost_stage_is_published_in_the_lane_of_the_message(
    stores: Stores, emitted: Emitted, clock: ManualClock
) -> None:
    moment = clock.now()
    live = IngestHandler(stores.intake, clock, LiveLane(1))
    imports = IngestHandler(stores.intake, clock, None, "import")
    # m-2 is beyond the burst
    outcomes = [*await live(stores.tenant, _received(stores, "m-1", "m-2"))]
    outcomes += await imports(stores.tenant, _received(stores, "m-3"))
    done = [one for one in outcomes if isinstance(one, Done)]
    bulk = {(one.message_id, type(one)) for each in done for one in each.bulk_events}
    assert {(one.message_id, type(one)) for each in done for one in each.events} == {("m-1", MemoryCreated)}
    assert bulk == {("m-2", MemoryCreated), ("m-3", MemoryCreated)}
    await stores.set_stages("m-1", stages=[Stage.ENCODED, Stage.ENRICHED], at=moment)
    await clock.advance(61)
    await _reconcile(stores, emitted, clock).run()
    lost = {(event.message_id, type(event)) for event in emitted.bulk}
    assert lost == {("m-2", ReadingRequested), ("m-3", ReadingRequested)}
    rest = [(event.message_id, type(event)) for event in emitted.events if event not in emitted.bulk]
    assert set(rest) == {("m-1", IndexRequested), ("m-1", FactsRequested)}


async def test_a_dead_letter_is_tried_again_once_its_reason_is_a_month_old(
    stores: Stores, emitted: Emitted, clock: ManualClock
) -> None:
    await stores.say("m-1")
    await stores.set_stages("m-1", stages=[Stage.EXTRACTED])
    await stores.record_dead_letter()
    for days, sent in ((29, []), (31, [ReadingRequested])):
        await tidy(stores.lifecycle, stores.notes, STORED + timedelta(days=days))
        await _reconcile(stores, emitted, clock).run()
        assert [type(event) for event in emitted.events] == sent


class PoisonedLifecycle(LifecycleStore):
    """Knows three tenants, of whom the first cannot be tidied, nor be reconciled."""

    def __init__(self, stores: Stores, fault: Exception) -> None:
        super().__init__(stores.database)
        self._names, self._fault = ["poison", stores.tenant, stores.another_tenant().tenant], fault
        self.tidied: list[str] = []

    async def tenants(self) -> Sequence[str]:
        return self._names

    async def tidy(self, tenant: str, **_: datetime) -> None:
        self._fail(tenant)
        self.tidied.append(tenant)

    async def lost(self, tenant: str, *args: Any, **fields: Any) -> Any:  # noqa: ANN401 - passed on
        self._fail(tenant)
        return await super().lost(tenant, *args, **fields)

    def _fail(self, tenant: str) -> None:
        if tenant == "poison":
            raise self._fault


async def test_a_tenant_that_fails_keeps_no_other_from_being_tidied_or_reconciled(
    stores: Stores, emitted: Emitted, clock: ManualClock
) -> None:
    await stores.say("m-1")
    poisoned = PoisonedLifecycle(stores, ValueError("a row that nobody can read"))
    await tidy(poisoned, stores.notes, clock.now())
    assert len(poisoned.tidied) == 2
    await clock.advance(600)
    summary = await Reconciliation(poisoned, emitted, nothing_waits, clock).run()
    assert (summary.failed, [type(event) for event in emitted.events]) == (1, [ReadingRequested])
    away = PoisonedLifecycle(stores, StoreUnavailable("nobody answers"))
    with pytest.raises(StoreUnavailable):
        await tidy(away, stores.notes, clock.now())
    assert away.tidied == []


async def _summarize(
    stores: Stores, emitter: Emitted, after: timedelta = timedelta(hours=1)
) -> tuple[int, ...]:
    """Run the pass; return how many conversations failed, and how many summaries were made."""
    clock = ManualClock(STORED + after)
    work = SessionSummaries(SessionStore(stores.database), emitter, clock, stores.executor, MODEL)
    return total(await run(work, stores.tenant, clock.now()), "failed", "created")


async def _converse(stores: Stores, conversation_id: str) -> list[str]:
    names = [f"{conversation_id}-{n}" for n in range(3)]
    await stores.say(*names, conversation_id=conversation_id, content="We bought a boat.")
    await stores.set_stages(*names)
    return names


async def test_events_of_a_summary_that_were_lost_are_emitted_under_the_same_ids(stores: Stores) -> None:
    await _converse(stores, "c-1")
    with pytest.raises(BusUnavailable):
        await _summarize(stores, Emitted(BUS_AWAY))
    afterwards, again = Emitted(), Emitted()
    await _summarize(stores, afterwards)
    assert afterwards.events == []
    for emitter, hours in ((afterwards, 2), (again, 3)):
        clock = ManualClock(STORED + timedelta(hours=hours))
        await Reconciliation(OneTenant(stores), emitter, nothing_waits, clock).run()
    for name in ("session.summarized", "memory.created"):
        assert len(afterwards.ids(name)) == 1
        assert again.ids(name) == afterwards.ids(name)


async def test_a_session_that_goes_on_is_left_alone_also_when_a_message_was_corrected(stores: Stores) -> None:
    _, name, _ = await _converse(stores, "c-1")
    await stores.correct(stores.id(name), "We bought a boat of wood.")
    await stores.set_stages(name)
    emitter = Emitted()
    assert await _summarize(stores, emitter, timedelta(minutes=5)) == (0, 0)
    assert emitter.events == []
    assert await _summarize(stores, emitter) == (0, 1)
