"""Frame of a pass: lock, tenants, slices.

A new pass implements `PassWork` and joins the table in `app/passes.py`. A failing tenant does not
block others; only an unavailable server ends a pass.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
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
BATCH: Final = 50
"""Due items of a tenant that are looked for at once."""
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


@dataclass(frozen=True, slots=True)
class PassScope:
    """What a pass works on in a tenant; it runs items in isolation: one that fails does not end the pass.

    A failed item is logged, rests (`ItemBackoff`), and counts as failed meanwhile. `DependencyUnavailable`
    ends the pass: it is no fault of an item.

    Attributes:
        now: the moment that the pass is run for.
        user_id: this user only; None for all.
        after: the id after which an interrupted run continues; None for a new run.
    """

    tenant: str
    now: datetime
    user_id: str | None = None
    after: UUID | None = None
    items: ItemBackoff = field(default_factory=ItemBackoff)

    async def of(self, work: Callable[[], Awaitable[Slice]], **ids: object) -> Slice:
        """Run one item; return its result, or a failed slice.

        Raises:
            DependencyUnavailable: a server is unavailable.
        """
        done = Slice(failed=1)
        if not self.items.in_cooldown(self.now, self.tenant, **ids):
            with self.items.guard(self.now, self.tenant, **ids):
                done = await work()
        return done

    async def each(self, slices: AsyncGenerator[Slice, None], **ids: object) -> AsyncGenerator[Slice, None]:
        """Run one item that takes several slices; see `of`. Slices before a failure are kept."""
        failed = True
        if not self.items.in_cooldown(self.now, self.tenant, **ids):
            with self.items.guard(self.now, self.tenant, **ids):
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
    ) -> AsyncGenerator[Slice, None]:
        """Run the due items until only tried ones are found.

        Args:
            due: returns so many due items: a batch, and the tried ones, which may be found again, first.
            key: returns what makes an item a tried one; an item that is due with another key is run again.
            ids: returns the fields that identify an item whose failure is recorded.
        """
        tried: set[Hashable] = set()
        repeated = 0
        while True:
            found = await due(BATCH + repeated)
            untried = [item for item in found if key(item) not in tried]
            if not untried and len(found) <= repeated:  # the last, larger batch has none behind it either
                return
            repeated = len(found) - len(untried)
            for item in untried:
                tried.add(key(item))
                yield await self.of(partial(work, item), **ids(item))


class PassWork(Protocol):
    """The work of a pass on the memories of a tenant; `PassRunner` calls it."""

    async def expected(self, _scope: PassScope, /) -> int:
        """Return a cheap estimate of the number of items to examine; 0 if unknown."""
        return 0

    def slices(self, scope: PassScope, /) -> AsyncGenerator[Slice, None]:
        """Do the work slice by slice, each committed before it is yielded and safe to repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRunner:
    """Runs the work of a pass.

    Attributes:
        patience: seconds that `run` waits for another process, which may only check whether it is due.
    """

    name: str
    work: PassWork
    items: ItemBackoff
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
            scopes = [PassScope(each, now, user_id, items=self.items) for each in tenants]
            for scope in scopes:
                summary.expected += await self._expected(scope)
            report(summary)
            for scope in scopes:
                await add_slices(summary, scope.each(self.work.slices(scope)), report)
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
                scope = PassScope(tenant, now, items=self.items)
                await add_slices(summary, scope.each(self._continue(scope, every)))
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
                for scope in pending:
                    await add_slices(summary, scope.each(self._turn(scope, cut_short)))
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

    async def _pending(self, now: datetime) -> Sequence[PassScope]:
        """Return the tenants in which anything is expected."""
        scopes = [PassScope(tenant, now, items=self.items) for tenant in await self.tenants()]
        return [scope for scope in scopes if await self._expected(scope)]

    async def _expected(self, scope: PassScope) -> int:
        """Return how much is expected; 0 if that fails."""
        if not self.items.in_cooldown(scope.now, scope.tenant, step="expected"):
            with self.items.guard(scope.now, scope.tenant, step="expected"):
                return await self.work.expected(scope)
        return 0

    async def _turn(self, scope: PassScope, cut_short: set[str]) -> AsyncGenerator[Slice, None]:
        """Run it for a tenant until nothing is left or its turn is over: then add it to `cut_short`."""
        until = self.clock.monotonic() + _TURN_S
        async with aclosing(self.work.slices(scope)) as slices:
            async for done in slices:
                yield done
                if self.clock.monotonic() >= until:
                    cut_short.add(scope.tenant)
                    break

    async def _continue(self, scope: PassScope, every: timedelta) -> AsyncGenerator[Slice, None]:
        tenant, now = scope.tenant, scope.now
        state = await self.runs.state(tenant, self.name)
        # A completion far in the future was stamped by a clock that was wrong.
        if state.completed_at is not None and abs(now - state.completed_at) < every:
            return
        if state.unfinished_run_at is not None and state.unfinished_run_at.date() == now.date():
            scope = replace(scope, now=state.unfinished_run_at, after=state.resume_after)
        async for done in self.work.slices(scope):
            yield done
            if done.reached is not None:
                await self.runs.save_position(tenant, self.name, scope.now, done.reached)
        await self.runs.complete(tenant, self.name, now)


async def add_slices(
    summary: PassSummary, slices: AsyncGenerator[Slice, None], report: Report[PassSummary] = lambda _: None
) -> None:
    """Do the work slice by slice, and report its sum after each."""
    async for done in slices:
        for count in ("examined", "changed", "archived", "created", "failed"):
            setattr(summary, count, getattr(summary, count) + getattr(done, count))
        report(summary)
