"""A pass is made once a day whoever starts how often, goes on where it was cut off, and by one at a time."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from structlog.testing import capture_logs
from tests.contract.store.stores import Stores

from ricordo.store.database import StoreUnavailable
from ricordo.testing.clock import ManualClock
from ricordo_services.lifecycle.passes import Pass, Slice
from ricordo_services.progress import PassSummary, RunsElsewhere

pytestmark = pytest.mark.integration

DAY = timedelta(days=1)


class PowerCut(BaseException):
    """The process ends here."""


@dataclass
class Work:
    """Ten slices, of which it is remembered which were done when; it may be cut off after some."""

    name: str = field(default_factory=lambda: f"pass-{uuid4()}")
    done: list[tuple[datetime, int]] = field(default_factory=list)
    cut_after: int | None = None
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    began: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.go_on.set()

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        return 20

    async def slices(
        self, tenant: str, now: datetime, user_id: str | None, after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        for number in range(1 if after is None else after.int + 1, 11):
            self.began.set()
            await self.go_on.wait()
            if number - 1 == self.cut_after:
                raise PowerCut
            self.done.append((now, number))
            yield Slice(examined=2, changed=1, archived=1, reached=UUID(int=number))


@dataclass
class Tenants:
    """Knows the test's tenants."""

    names: Sequence[str]

    async def tenants(self) -> Sequence[str]:
        return self.names


@dataclass
class Broken:
    """Work that does two slices for each tenant, and fails before the second of the first one."""

    fault: Exception
    step: str = "slices"
    name: str = field(default_factory=lambda: f"pass-{uuid4()}")
    poisoned: bool = True
    done: list[str] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        self.looked.append(tenant)
        self._fail(tenant, "expected")
        return 2

    async def slices(
        self, tenant: str, now: datetime, user_id: str | None, after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        yield Slice(examined=1)
        self._fail(tenant, "slices")
        self.done.append(tenant)
        yield Slice(examined=1, changed=1)

    def _fail(self, tenant: str, step: str) -> None:
        if self.poisoned and tenant.startswith("poison") and step == self.step:
            raise self.fault


@dataclass
class Heaps:
    """So many slices wait in each tenant, three seconds of work each; others come to wait meanwhile."""

    clock: ManualClock
    left: dict[str, int]
    to_come: dict[str, int]
    name: str = field(default_factory=lambda: f"pass-{uuid4()}")
    done: list[str] = field(default_factory=list)

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        return self.left.get(tenant, 0)

    async def slices(
        self, tenant: str, now: datetime, user_id: str | None, after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        while self.left[tenant]:
            self.left[tenant] -= 1
            self.done.append(tenant)
            self.left |= self.to_come
            self.to_come = {}
            await self.clock.advance(3)
            yield Slice(examined=1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def framed(stores: Stores, work: Work | Broken | Heaps, clock: ManualClock, *tenants: str) -> Pass:
    return Pass(
        work=work,
        life=Tenants(tenants or [stores.tenant]),
        runs=stores.pass_runs,
        locks=stores.pass_locks,
        clock=clock,
        patience=0.05,
    )


async def test_a_worker_that_starts_every_minute_makes_it_once_a_day(
    stores: Stores, clock: ManualClock
) -> None:
    work, counts = Work(), []
    for _ in range(5):
        for _ in range(3):
            await framed(stores, work, clock).run_if_due(clock.now(), DAY)
            await clock.advance(60)
        counts.append(len(work.done))
        await clock.advance(6 * 3600)
    assert counts == [10, 10, 10, 10, 20]


async def test_a_run_that_was_cut_off_goes_on_where_it_was_for_the_same_moment(
    stores: Stores, clock: ManualClock
) -> None:
    work, began = Work(cut_after=4), clock.now()
    for _ in range(2):
        with pytest.raises(PowerCut):
            await framed(stores, work, clock).run_if_due(clock.now(), DAY)
        await clock.advance(60)
    work.cut_after = None
    summary = await framed(stores, work, clock).run_if_due(clock.now(), DAY)
    assert work.done == [(began, number) for number in range(1, 11)]
    assert summary is not None
    assert (summary.examined, summary.changed, summary.archived) == (12, 6, 6)


async def test_a_run_that_was_cut_off_yesterday_begins_anew(stores: Stores, clock: ManualClock) -> None:
    work = Work(cut_after=4)
    with pytest.raises(PowerCut):
        await framed(stores, work, clock).run_if_due(clock.now(), DAY)
    await clock.advance(86_400)
    work.cut_after = None
    await framed(stores, work, clock).run_if_due(clock.now(), DAY)
    assert work.done[4:] == [(clock.now(), number) for number in range(1, 11)]


@pytest.mark.parametrize(
    ("turned_back", "slices"), [(timedelta(hours=3), 10), (timedelta(days=40), 20)], ids=str
)
async def test_a_clock_that_was_turned_back_stops_no_pass_for_long(
    stores: Stores, clock: ManualClock, turned_back: timedelta, slices: int
) -> None:
    work = Work()
    for now in (clock.now(), clock.now() - turned_back):
        await framed(stores, work, clock).run_if_due(now, DAY)
    assert len(work.done) == slices


async def test_two_workers_at_once_make_it_once_and_a_command_says_so(
    stores: Stores, clock: ManualClock
) -> None:
    work, another = Work(), Work()
    another.name = work.name
    work.go_on.clear()
    first = asyncio.create_task(framed(stores, work, clock).run_if_due(clock.now(), DAY))
    await asyncio.wait_for(work.began.wait(), 60)
    assert await framed(stores, another, clock).run_if_due(clock.now(), DAY) is None
    with pytest.raises(RunsElsewhere, match="runs elsewhere"):
        await framed(stores, another, clock).run(clock.now())
    work.go_on.set()
    assert await first is not None
    await framed(stores, another, clock).run_if_due(clock.now(), DAY)
    assert (len(work.done), another.done) == (10, [])


async def test_a_run_by_hand_makes_all_of_it_and_tells_how_far_it_is(
    stores: Stores, clock: ManualClock
) -> None:
    work, told = Work(), []

    def report(now: PassSummary) -> None:
        told.append((now.examined, now.expected))

    await framed(stores, work, clock).run_if_due(clock.now(), DAY)
    summary = await framed(stores, work, clock).run(clock.now(), None, report)
    assert told == [(2 * number, 20) for number in range(11)]
    assert (summary.name, summary.examined, summary.changed) == (work.name, 20, 10)
    nobodys = await framed(stores, work, clock).run(clock.now(), tenant="another")
    assert nobodys.examined == 20


async def _made(one: Pass, way: str, clock: ManualClock) -> PassSummary | None:
    if way == "run":
        return await one.run(clock.now())
    return await (one.run_pending(clock.now()) if way == "attend" else one.run_if_due(clock.now(), DAY))


@pytest.mark.parametrize("way", ["run", "catch_up", "attend"])
async def test_a_tenant_whose_work_fails_keeps_no_other_from_theirs(
    stores: Stores, clock: ManualClock, way: str
) -> None:
    """It is counted and logged, rests for a while, and is tried again."""
    work = Broken(ValueError("a row that nobody can read"))
    bad, good = f"poison-{uuid4()}", stores.tenant
    one = framed(stores, work, clock, bad, good)
    with capture_logs() as logs:
        summary = await _made(one, way, clock)
    assert summary is not None
    assert (work.done, summary.examined, summary.changed, summary.failed) == ([good], 3, 1, 1)
    (said,) = [line for line in logs if line["log_level"] == "error"]
    assert (said["tenant"], said["name"], said["failures"]) == (bad, work.name, 1)
    work.poisoned = False
    await clock.advance(30)
    await _made(one, way, clock)
    assert bad not in work.done
    await clock.advance(31)
    await _made(one, way, clock)
    assert bad in work.done


async def test_tenants_take_turns_where_much_waits(stores: Stores, clock: ManualClock) -> None:
    """Neither the next one nor who comes meanwhile waits until the first, in which most waits, is through."""
    first, second, late = (f"{number}-{uuid4()}" for number in range(3))
    work = Heaps(clock, left={first: 5, second: 1}, to_come={late: 1})
    summary = await framed(stores, work, clock, first, second, late).run_pending(clock.now())
    assert summary is not None
    assert work.done == [first, first, second, first, first, late, first]
    assert summary.examined == len(work.done)


async def test_where_nobody_can_say_what_waits_the_others_have_their_turn(
    stores: Stores, clock: ManualClock
) -> None:
    """By the clock it is not asked again at once; by hand it is worked on all the same."""
    work = Broken(ValueError("a row that nobody can read"), step="expected")
    bad, good = f"poison-{uuid4()}", stores.tenant
    one = framed(stores, work, clock, bad, good)
    for _ in range(3):
        assert await one.run_pending(clock.now()) is not None
    assert (work.done, work.looked.count(bad)) == ([good] * 3, 1)
    await framed(stores, work, clock, bad, good).run(clock.now())
    assert work.done[3:] == [bad, good]


@pytest.mark.parametrize("way", ["run", "catch_up", "attend"])
@pytest.mark.parametrize("step", ["expected", "slices"])
async def test_a_server_that_is_away_ends_the_pass(
    stores: Stores, clock: ManualClock, way: str, step: str
) -> None:
    if (way, step) == ("catch_up", "expected"):  # that asks nobody what is expected
        return
    work = Broken(StoreUnavailable("nobody answers"), step=step)
    one = framed(stores, work, clock, f"poison-{uuid4()}", stores.tenant)
    with pytest.raises(StoreUnavailable):
        await _made(one, way, clock)
    assert work.done == []
    work.poisoned = False
    await _made(one, way, clock)  # at once: nothing rests for that
    assert len(work.done) == 2
