"""A pass runs once a day, goes on where it was cut off, and in one process at a time."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from structlog.testing import capture_logs
from tests.contract.store.stores import Stores
from tests.fixtures.eventually import eventually
from tests.support.manual_clock import ManualClock

from ricordo.runtime.backoff import ItemBackoff
from ricordo.store.database import StoreUnavailable
from ricordo_services.job_progress import PassSummary, RunsElsewhere
from ricordo_services.lifecycle.pass_runner import PassRunner, PassScope, Slice

DAY = timedelta(days=1)


class PowerCut(BaseException):
    """The process ends here."""


def _name() -> str:
    return f"pass-{uuid4()}"


@dataclass
class Work:
    """Ten slices; `done` keeps which were done when, and after `cut_after` of them the process ends."""

    name: str = field(default_factory=_name)
    done: list[tuple[datetime, int]] = field(default_factory=list)
    cut_after: int | None = None
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    began: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.go_on.set()

    async def expected(self, scope: PassScope) -> int:
        return 20

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        for number in range(1 if scope.after is None else scope.after.int + 1, 11):
            self.began.set()
            await self.go_on.wait()
            if number - 1 == self.cut_after:
                raise PowerCut
            self.done.append((scope.now, number))
            yield Slice(examined=2, changed=1, archived=1, reached=UUID(int=number))


@dataclass
class Broken:
    """Two slices for each tenant; at `step` it fails for a poisoned one."""

    fault: Exception
    step: str = "slices"
    name: str = field(default_factory=_name)
    poisoned: bool = True
    done: list[str] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)

    async def expected(self, scope: PassScope) -> int:
        self.counted.append(scope.tenant)
        self._fail(scope.tenant, "expected")
        return 2

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        yield Slice(examined=1)
        self._fail(scope.tenant, "slices")
        self.done.append(scope.tenant)
        yield Slice(examined=1, changed=1)

    def _fail(self, tenant: str, step: str) -> None:
        if self.poisoned and tenant.startswith("poison") and step == self.step:
            raise self.fault


@dataclass
class Backlog:
    """So many slices wait in each tenant, three seconds of work each; others come to wait meanwhile."""

    clock: ManualClock
    left: dict[str, int]
    to_come: dict[str, int]
    name: str = field(default_factory=_name)
    done: list[str] = field(default_factory=list)

    async def expected(self, scope: PassScope) -> int:
        return self.left.get(scope.tenant, 0)

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        while self.left[scope.tenant]:
            self.left[scope.tenant] -= 1
            self.done.append(scope.tenant)
            self.left |= self.to_come
            self.to_come = {}
            await self.clock.advance(3)
            yield Slice(examined=1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def framed(stores: Stores, work: Work | Broken | Backlog, clock: ManualClock, *tenants: str) -> PassRunner:
    async def of_this_test() -> Sequence[str]:
        return tenants or [stores.tenant]

    return PassRunner(
        name=work.name,
        work=work,
        items=ItemBackoff(work.name),
        tenants=of_this_test,
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


async def test_a_run_that_was_cut_off_goes_on_for_the_same_moment_or_the_next_day_anew(
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
    again = Work(cut_after=4)
    with pytest.raises(PowerCut):
        await framed(stores, again, clock).run_if_due(clock.now(), DAY)
    await clock.advance(86_400)
    again.cut_after = None
    await framed(stores, again, clock).run_if_due(clock.now(), DAY)
    assert again.done[4:] == [(clock.now(), number) for number in range(1, 11)]


@pytest.mark.parametrize(("hours", "slices"), [(3, 10), (960, 20)])
async def test_a_clock_that_was_turned_back_stops_no_pass_for_long(
    stores: Stores, clock: ManualClock, hours: int, slices: int
) -> None:
    work = Work()
    for now in (clock.now(), clock.now() - timedelta(hours=hours)):
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


async def test_a_run_by_hand_makes_all_of_it_and_reports_how_far_it_is(
    stores: Stores, clock: ManualClock
) -> None:
    work, reported = Work(), []

    def report(now: PassSummary) -> None:
        reported.append((now.examined, now.expected))

    await framed(stores, work, clock).run_if_due(clock.now(), DAY)
    summary = await framed(stores, work, clock).run(clock.now(), None, report)
    assert reported == [(2 * number, 20) for number in range(11)]
    assert (summary.name, summary.examined, summary.changed) == (work.name, 20, 10)
    assert (await framed(stores, work, clock).run(clock.now(), tenant="another")).examined == 20


WAYS = ("run", "run_if_due", "run_pending")


async def _run(one: PassRunner, way: str, clock: ManualClock) -> PassSummary | None:
    if way == "run_if_due":
        return await one.run_if_due(clock.now(), DAY)
    return await (one.run(clock.now()) if way == "run" else one.run_pending(clock.now()))


@pytest.mark.parametrize("way", WAYS)
async def test_a_tenant_whose_work_fails_keeps_no_other_from_theirs(
    stores: Stores, clock: ManualClock, way: str
) -> None:
    """It is counted and logged, rests for a minute, and is tried again."""
    work = Broken(ValueError("a row that nobody can read"))
    bad, good = f"poison-{uuid4()}", stores.tenant
    one = framed(stores, work, clock, bad, good)
    with capture_logs() as logs:
        summary = await _run(one, way, clock)
    assert summary is not None
    assert (work.done, summary.examined, summary.changed, summary.failed) == ([good], 3, 1, 1)
    (line,) = [line for line in logs if line["log_level"] == "error"]
    assert (line["tenant"], line["name"], line["failures"]) == (bad, work.name, 1)
    work.poisoned = False
    for seconds, tried in ((30, False), (31, True)):
        await clock.advance(seconds)
        await _run(one, way, clock)
        assert (bad in work.done) is tried


async def test_tenants_take_turns_where_much_waits(stores: Stores, clock: ManualClock) -> None:
    """Neither the next one nor one that comes meanwhile waits until the first, with the most, is through."""
    first, second, late = (f"{number}-{uuid4()}" for number in range(3))
    work = Backlog(clock, left={first: 5, second: 1}, to_come={late: 1})
    summary = await framed(stores, work, clock, first, second, late).run_pending(clock.now())
    assert summary is not None
    assert work.done == [first, first, second, first, first, late, first]
    assert summary.examined == len(work.done)


async def test_a_tenant_whose_work_cannot_be_counted_has_its_turn_by_hand_only(
    stores: Stores, clock: ManualClock
) -> None:
    work = Broken(ValueError("a row that nobody can read"), step="expected")
    bad, good = f"poison-{uuid4()}", stores.tenant
    one = framed(stores, work, clock, bad, good)
    for _ in range(3):
        assert await one.run_pending(clock.now()) is not None
    assert (work.done, work.counted.count(bad)) == ([good] * 3, 1)
    await framed(stores, work, clock, bad, good).run(clock.now())
    assert work.done[3:] == [bad, good]


@pytest.mark.parametrize(
    ("way", "step"), [*((way, "slices") for way in WAYS), ("run", "expected"), ("run_pending", "expected")]
)
async def test_a_server_that_is_away_ends_the_pass(
    stores: Stores, clock: ManualClock, way: str, step: str
) -> None:
    work = Broken(StoreUnavailable("nobody answers"), step=step)
    one = framed(stores, work, clock, f"poison-{uuid4()}", stores.tenant)
    with pytest.raises(StoreUnavailable):
        await _run(one, way, clock)
    assert work.done == []
    work.poisoned = False
    await _run(one, way, clock)  # at once: nothing rests for that
    assert len(work.done) == 2


HOLDER = """
import asyncio, sys
from ricordo.store.pass_store import PassLocks

async def hold():
    async with PassLocks(sys.argv[1]).acquire("killed") as is_alone:
        print(is_alone, flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


async def _is_free(stores: Stores, name: str) -> bool:
    async with stores.pass_locks.acquire(name) as is_alone:
        return is_alone


async def test_a_cancelled_holder_gives_it_up_and_a_patient_one_gets_it_then(stores: Stores) -> None:
    name, entered, taken = f"pass-{uuid4()}", asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with stores.pass_locks.acquire(name) as is_alone:
            assert is_alone
            entered.set()
            await asyncio.Event().wait()

    async def wait() -> None:
        async with stores.pass_locks.acquire(name, 30) as is_alone:
            assert is_alone
            taken.set()

    holder = asyncio.create_task(hold())
    await entered.wait()
    waiting = asyncio.create_task(wait())
    async with stores.pass_locks.acquire(name, 0.05) as is_alone:
        assert not is_alone
    assert not taken.is_set()
    holder.cancel()
    await waiting
    assert taken.is_set()


async def test_a_process_that_is_killed_gives_it_up(stores: Stores) -> None:
    command = (sys.executable, "-c", HOLDER, stores.dsn)
    holder = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"True\n"
    assert not await _is_free(stores, "killed")
    holder.kill()
    await holder.wait()
    await eventually(lambda: _is_free(stores, "killed"))
