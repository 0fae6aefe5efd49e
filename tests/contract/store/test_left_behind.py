"""What a process that ended, or a stream that lost its last moments, has left unsaid is said again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, enriched
from tests.contract.store.test_lifecycle_store import kept, letter

from ricordo.language.annotations import Emotion
from ricordo.messages.events import DerivedEvent, MemoryArchived, MemoryChanged, MemoryCreated, MemoryEnriched
from ricordo.store.database import StoreUnavailable
from ricordo.store.lifecycle_store import Access, ArchiveMove, Lagging, LifecycleStore
from ricordo.testing.clock import ManualClock
from ricordo.testing.factories import new_message
from ricordo_services.lifecycle.passes import Decay, Reconcile, tidy

pytestmark = pytest.mark.integration


class PowerCut(BaseException):
    """The process ends here."""


@dataclass
class Stream:
    """What was published for one tenant; until it is told otherwise, it all goes."""

    tenant: str
    events: list[DerivedEvent] = field(default_factory=list)
    lost: bool = False

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        if tenant != self.tenant:  # the database is shared
            return
        if self.lost and events:
            raise PowerCut
        self.events += events


class Idle:
    """Nothing waits for a worker."""

    async def waiting(self) -> int:
        return 0


@pytest.fixture
def stream(stores: Stores) -> Stream:
    return Stream(stores.tenant)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime.now(UTC))


async def remembered(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    await stores.encode("m-1")
    derived = enriched(await stores.memory(), importance=0.0, emotion=Emotion(arousal=0.0))
    await stores.enrichments.save(stores.tenant, [derived], STORED)
    await stores.indexing.mark(stores.tenant, [stores.id("m-1")], STORED)


async def archived(stores: Stores, stream: Stream) -> None:
    decay = Decay(stores.life, stores.retention, stream)
    async for _ in decay.slices(stores.tenant, STORED + timedelta(days=2000), "u-1", None):
        pass


def reconcile(stores: Stores, stream: Stream, clock: ManualClock) -> Reconcile:
    return Reconcile(stores.life, stream, Idle(), clock, MODEL)


def moves(stream: Stream) -> list[DerivedEvent]:
    return [event for event in stream.events if isinstance(event, MemoryArchived | MemoryChanged)]


async def test_a_pass_that_ends_before_it_has_said_what_it_archived(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    await remembered(stores)
    stream.lost = True
    with pytest.raises(PowerCut):
        await archived(stores, stream)
    assert (await stores.memory()).archived_at is not None
    stream.lost = False
    await archived(stores, stream)  # the next pass finds nothing to do
    assert moves(stream) == []
    await clock.advance(3 * 60)
    await reconcile(stores, stream, clock).run()
    (event,) = moves(stream)
    assert isinstance(event, MemoryArchived)
    assert (event.user_id, event.memory_ids) == ("u-1", (stores.id("m-1"),))


async def test_a_reconciliation_that_ends_in_the_middle_is_made_up_for(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    await remembered(stores)
    await archived(stores, stream)
    await clock.advance(3 * 60)
    stream.lost = True
    with pytest.raises(PowerCut):
        await reconcile(stores, stream, clock).run()
    stream.lost = False
    for _ in range(3):
        await reconcile(stores, stream, clock).run()
    assert len(moves(stream)) == 2  # at once, and once more when it was sure to be kept


async def test_what_lacks_its_facts_and_its_point_is_told_to_both(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    """Encode tells nobody of what is enriched already."""
    await stores.record(new_message(tenant=stores.tenant))
    await stores.encode("m-1")
    await clock.advance(3 * 60)
    await reconcile(stores, stream, clock).run()
    await stores.enrichments.save(stores.tenant, [enriched(await stores.memory())], STORED)
    await reconcile(stores, stream, clock).run()
    assert [type(event) for event in stream.events] == [MemoryCreated, MemoryCreated, MemoryEnriched]


async def test_what_was_sent_on_its_way_is_given_time_and_more_each_time(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    """Workers with much to do would be given ever more of the same. Who could not send it, sends it next."""
    await stores.record(new_message(tenant=stores.tenant))
    again, sent = reconcile(stores, stream, clock), list[int]()
    await clock.advance(3 * 60)
    stream.lost = True
    with pytest.raises(PowerCut):
        await again.run()
    stream.lost = False
    for _ in range(9):
        await again.run()
        sent.append(len(stream.events))
        await clock.advance(61)
    assert sent == [1, 1, 2, 2, 2, 2, 3, 3, 3]


async def test_what_moved_a_moment_ago_is_left_alone(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    await remembered(stores)
    await archived(stores, stream)
    await reconcile(stores, stream, clock).run()
    assert len(moves(stream)) == 1


async def test_what_use_has_brought_back_is_said_again_too(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    await remembered(stores)
    await archived(stores, stream)
    access = Access(stores.id("an access"), "u-1", (stores.id("m-1"),), STORED)
    await stores.life.reinforce(stores.tenant, [access])  # and its event is lost
    stream.events.clear()
    await clock.advance(3 * 60)
    await reconcile(stores, stream, clock).run()
    (event,) = moves(stream)
    assert isinstance(event, MemoryChanged)
    assert (event.memory_ids, event.fields) == ((stores.id("m-1"),), ("archived_at",))
    assert (await stores.memory()).archived_at is None


class Poisoned:
    """Knows three tenants, of whom the first cannot be tidied, nor be reconciled."""

    def __init__(self, stores: Stores, fault: Exception) -> None:
        self._life = stores.life
        self._names = ["poison", stores.tenant, stores.elsewhere().tenant]
        self._fault = fault
        self.tidied: list[str] = []

    async def tenants(self) -> Sequence[str]:
        return self._names

    async def tidy(self, tenant: str, **_: datetime) -> None:
        self._fail(tenant)
        self.tidied.append(tenant)

    async def lagging(
        self, tenant: str, now: datetime, older_than: timedelta, limit: int
    ) -> Sequence[Lagging]:
        self._fail(tenant)
        return await self._life.lagging(tenant, now, older_than, limit)

    async def unreported_moves(self, tenant: str, before: datetime, limit: int) -> Sequence[ArchiveMove]:
        return await self._life.unreported_moves(tenant, before, limit)

    def _fail(self, tenant: str) -> None:
        if tenant == "poison":
            raise self._fault


async def test_one_tenant_that_cannot_be_tidied_or_reconciled_keeps_no_other_from_it(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    life = Poisoned(stores, ValueError("a row that nobody can read"))
    assert (await tidy(cast("LifecycleStore", life), clock.now())).failed == 1
    assert len(life.tidied) == 2
    await clock.advance(600)
    summary = await Reconcile(cast("LifecycleStore", life), stream, Idle(), clock, MODEL).run()
    assert (summary.failed, [type(event) for event in stream.events]) == (1, [MemoryCreated])
    away = Poisoned(stores, StoreUnavailable("nobody answers"))
    with pytest.raises(StoreUnavailable):
        await tidy(cast("LifecycleStore", away), clock.now())
    assert away.tidied == []


async def test_what_was_given_up_is_sent_on_its_way_once_its_reason_is_a_month_old(
    stores: Stores, stream: Stream, clock: ManualClock
) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    await stores.life.record_dead_letter(stores.tenant, letter(stores), kept)
    for days, sent in ((29, []), (31, [MemoryCreated])):
        await tidy(stores.life, STORED + timedelta(days=days))
        await reconcile(stores, stream, clock).run()
        assert [type(event) for event in stream.events] == sent
