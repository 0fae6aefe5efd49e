"""Frame of a pass: lock, tenants, slices.

A new pass implements `PassWork` and joins the table in `app/passes.py`. A failing tenant does not
block others; only an unavailable server ends a pass.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol, TypeVar
from uuid import UUID

import structlog

from ricordo.clock import Clock
from ricordo.runtime.backoff import ItemBackoff
from ricordo.store.pass_store import PassLocks, PassRuns
from ricordo_services.job_progress import PassSummary, Report, RunsElsewhere

T = TypeVar("T")
_TURN_S: Final = 5.0  # of one tenant, before it is the turn of the next

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Slice:
    """The result of one committed step of a pass.

    Attributes:
        reached: the id after which a later run can continue; None if it must start from the beginning.
    """

    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    failed: int = 0
    reached: UUID | None = None


class PassWork(Protocol):
    """The work of a pass on the memories of a tenant; `PassRunner` calls it."""

    async def expected(self, _tenant: str, _now: datetime, _user_id: str | None, /) -> int:
        """Return a cheap estimate of the number of items to examine; 0 if unknown."""
        return 0

    def slices(
        self, tenant: str, now: datetime, user_id: str | None, after: UUID | None, items: "IsolatedItems", /
    ) -> AsyncGenerator[Slice, None]:
        """Do the work slice by slice, each committed before it is yielded and safe to repeat.

        Args:
            items: runs what may fail without ending the pass.
        """


class IsolatedItems(ItemBackoff):
    """Runs the items of a pass in isolation: one that fails is logged and counted, others go on.

    A failed item rests (`ItemBackoff`) and counts as failed meanwhile. `DependencyUnavailable` ends the pass:
    it is no fault of an item.
    """

    async def of(
        self, work: Callable[[], Awaitable[Slice]], now: datetime, tenant: str, **ids: object
    ) -> Slice:
        """Run one item; return its result, or a failed slice.

        Raises:
            DependencyUnavailable: a server is unavailable.
        """
        done = Slice(failed=1)
        if not self.in_cooldown(now, tenant, **ids):
            with self.guard(now, tenant, **ids):
                done = await work()
        return done

    async def each(
        self, slices: AsyncGenerator[Slice, None], now: datetime, tenant: str, **ids: object
    ) -> AsyncGenerator[Slice, None]:
        """Run one item that takes several slices; see `of`. Slices before a failure are kept."""
        failed = True
        if not self.in_cooldown(now, tenant, **ids):
            with self.guard(now, tenant, **ids):
                async for done in slices:
                    yield done
                failed = False
        if failed:
            yield Slice(failed=1)

    async def all_due(
        self,
        due: Callable[[int], Awaitable[Sequence[T]]],
        work: Callable[[T], Awaitable[Slice]],
        key: Callable[[T], Hashable],
        ids: Callable[[T], dict[str, str]],
        *,
        now: datetime,
        tenant: str,
    ) -> AsyncGenerator[Slice, None]:
        """Run the due items until only tried ones are found.

        Args:
            due: returns one batch of due items and that many more: tried items may be found again, first.
            key: returns what makes an item a tried one; an item that is due with another key is run again.
            ids: returns the fields that identify an item whose failure is recorded.
        """
        tried: set[Hashable] = set()
        repeated = 0
        while True:
            found = await due(repeated)
            untried = [item for item in found if key(item) not in tried]
            if not untried and len(found) <= repeated:  # the last, larger batch has none behind it either
                return
            repeated = len(found) - len(untried)
            for item in untried:
                tried.add(key(item))
                yield await self.of(lambda item=item: work(item), now, tenant, **ids(item))  # type: ignore[misc]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRunner:
    """Runs the work of a pass.

    Attributes:
        patience: seconds that `run` waits for another process, which may only check whether it is due.
    """

    name: str
    work: PassWork
    items: IsolatedItems
    tenants: Callable[[], Awaitable[Sequence[str]]]
    runs: PassRuns
    locks: PassLocks
    clock: Clock
    patience: float = 5.0

    async def run(
        self,
        now: datetime,
        user_id: str | None = None,
        report: Report[PassSummary] = lambda _: None,
        *,
        tenant: str | None = None,
    ) -> PassSummary:
        """Run the whole pass, whether or not it is due.

        Args:
            tenant: for this one only; None for all.

        Raises:
            RunsElsewhere: another process runs it at this moment.
            StoreUnavailable, BusUnavailable: a server does not answer; what was done is kept.
        """
        async with self._lock(self.patience) as summary:
            if summary is None:
                raise RunsElsewhere(self.name)
            tenants = await self.tenants() if tenant is None else [tenant]
            for each in tenants:
                summary.expected += await self._expected(each, now, user_id)
            report(summary)
            for each in tenants:
                work = partial(self._whole, each, now, user_id, summary, report)
                await self._isolate(work, each, now, summary)
        return summary

    async def run_if_due(self, now: datetime, every: timedelta) -> PassSummary | None:
        """Run the pass for the tenants that it is due for; continue a run of the same day that was cut off.

        Returns:
            What was done; None where another process runs the pass at this moment.

        Raises:
            StoreUnavailable, BusUnavailable: a server does not answer; what was done is kept.
        """
        async with self._lock() as summary:
            if summary is None:
                _log.info("a pass runs elsewhere", name=self.name)
                return None
            for tenant in await self.tenants():
                work = partial(self._continue, tenant, now, every, summary)
                await self._isolate(work, tenant, now, summary)
        return summary

    async def run_pending(self, now: datetime) -> PassSummary | None:
        """Run the pass for the tenants in which anything is expected.

        They take turns: one with much work continues after the others.

        Returns:
            What was done; None where nothing is pending, or another process runs the pass at this moment.

        Raises:
            StoreUnavailable, BusUnavailable: a server does not answer; what was done is kept.
        """
        pending = await self._pending(now)
        if not pending:
            return None
        async with self._lock() as summary:
            while pending and summary is not None:
                cut_short = set[str]()
                for tenant in pending:
                    await self._isolate(
                        partial(self._turn, tenant, now, summary, cut_short), tenant, now, summary
                    )
                pending = await self._pending(now) if cut_short else []
        return summary

    @asynccontextmanager
    async def _lock(self, patience: float = 0.0) -> AsyncIterator[PassSummary | None]:
        """Lock the pass for the length of an `async with`; yield its summary, None if it runs elsewhere."""
        began = self.clock.monotonic()
        async with self.locks.acquire(self.name, patience) as is_alone:
            summary = PassSummary(self.name) if is_alone else None
            yield summary
        if summary is not None:
            summary.seconds = self.clock.monotonic() - began

    async def _pending(self, now: datetime) -> Sequence[str]:
        """Return the tenants in which anything is expected."""
        return [each for each in await self.tenants() if await self._expected(each, now, None)]

    async def _isolate(
        self, work: Callable[[], Awaitable[Slice]], tenant: str, now: datetime, summary: PassSummary
    ) -> None:
        """Do the work for a tenant; count it if it fails."""
        _add(summary, await self.items.of(work, now, tenant))

    async def _expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        """Return how much is expected; 0 if that fails."""
        if not self.items.in_cooldown(now, tenant, step="expected"):
            with self.items.guard(now, tenant, step="expected"):
                return await self.work.expected(tenant, now, user_id)
        return 0

    async def _whole(
        self,
        tenant: str,
        now: datetime,
        user_id: str | None,
        summary: PassSummary,
        report: Report[PassSummary],
    ) -> Slice:
        async for done in self.work.slices(tenant, now, user_id, None, self.items):
            _add(summary, done)
            report(summary)
        return Slice()

    async def _turn(self, tenant: str, now: datetime, summary: PassSummary, cut_short: set[str]) -> Slice:
        """Run it for a tenant until nothing is left or its turn is over: then add it to `cut_short`."""
        until = self.clock.monotonic() + _TURN_S
        async with aclosing(self.work.slices(tenant, now, None, None, self.items)) as slices:
            async for done in slices:
                _add(summary, done)
                if self.clock.monotonic() >= until:
                    cut_short.add(tenant)
                    break
        return Slice()

    async def _continue(self, tenant: str, now: datetime, every: timedelta, summary: PassSummary) -> Slice:
        state = await self.runs.state(tenant, self.name)
        # A completion far in the future was stamped by a clock that was wrong.
        if state.completed_at is not None and abs(now - state.completed_at) < every:
            return Slice()
        run_at, after = now, None
        if state.unfinished_run_at is not None and state.unfinished_run_at.date() == now.date():
            run_at, after = state.unfinished_run_at, state.resume_after
        async for done in self.work.slices(tenant, run_at, None, after, self.items):
            _add(summary, done)
            if done.reached is not None:
                await self.runs.save_position(tenant, self.name, run_at, done.reached)
        await self.runs.complete(tenant, self.name, now)
        return Slice()


def _add(summary: PassSummary, done: Slice) -> None:
    for count in ("examined", "changed", "archived", "created", "failed"):
        setattr(summary, count, getattr(summary, count) + getattr(done, count))
