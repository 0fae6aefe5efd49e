"""What every pass stands in: one process at a time, tenant by tenant, slice by slice, told of as it goes.

Whoever writes a pass writes its `Work`, and adds it to the table in `app/passes.py`. Each slice is
committed before it is yielded and follows from what is stored, so that one which is done twice changes
nothing more. What fails for one tenant keeps no other from its turn, and a work keeps its own items apart by
`IsolatedItems`; only a server that is away ends a pass.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol
from uuid import UUID

import structlog

from ricordo.clock import Clock
from ricordo.store.pass_store import PassLocks, PassRuns, PassState
from ricordo_services.job_progress import PassReport, PassSummary, RunsElsewhere, silent
from ricordo_services.lifecycle.passes.slices import IsolatedItems, Slice

_TURN_S: Final = (
    5.0  # for which a tenant may hold up others, while more waits than anybody works off in that time
)

_log = structlog.stdlib.get_logger(__name__)


class PassWork(Protocol):
    """What a pass does with the memories of a tenant."""

    @property
    def name(self) -> str:
        """The name of the pass."""
        ...

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        """Return about how much there is to examine, at little cost; 0 where nobody knows."""
        ...

    def slices(
        self, tenant: str, now: datetime, user_id: str | None, after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        """Do the work and say so, slice by slice; of an item that fails, by `Slice.failed`."""
        ...


class Tenants(Protocol):
    """Who knows the tenants."""

    async def tenants(self) -> Sequence[str]:
        """Return all tenants that ever said something."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRunner:
    """A pass: what it does, and the frame for it.

    Attributes:
        patience: seconds for which `run` waits for another process, which may only look whether it is due.
    """

    work: PassWork
    life: Tenants
    runs: PassRuns
    locks: PassLocks
    clock: Clock
    patience: float = 5.0
    trials: IsolatedItems = field(default_factory=IsolatedItems)

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.work.name

    async def run(
        self,
        now: datetime,
        user_id: str | None = None,
        report: PassReport = silent,
        *,
        tenant: str | None = None,
    ) -> PassSummary:
        """Make the whole pass, whenever it was made last.

        Args:
            tenant: for this one only; None for all.

        Raises:
            RunsElsewhere: another process makes it at this moment.
            StoreUnavailable, BusUnavailable: a server does not answer; what was done is kept.
        """
        summary, began = PassSummary(self.name), self.clock.monotonic()
        async with self.locks.acquire(self.name, self.patience) as is_alone:
            if not is_alone:
                raise RunsElsewhere(self.name)
            tenants = await self.life.tenants() if tenant is None else [tenant]
            for each in tenants:
                summary.expected += await self._expected(each, now, user_id)
            report(summary)
            for each in tenants:
                doing = partial(self._make, each, now, user_id, summary, report)
                await self._apart(doing, each, now, summary)
        summary.seconds = self.clock.monotonic() - began
        return summary

    async def run_if_due(self, now: datetime, every: timedelta) -> PassSummary | None:
        """Make the pass for the tenants that it is due for; go on where a run of the same day was cut off.

        Returns:
            What was done; None where another process makes the pass at this moment.

        Raises:
            StoreUnavailable, BusUnavailable: a server does not answer; what was done is kept.
        """
        summary, began = PassSummary(self.name), self.clock.monotonic()
        async with self.locks.acquire(self.name) as is_alone:
            if not is_alone:
                _log.info("a pass runs elsewhere", name=self.name)
                return None
            for tenant in await self.life.tenants():
                await self._apart(partial(self._catch_up, tenant, now, every, summary), tenant, now, summary)
        summary.seconds = self.clock.monotonic() - began
        return summary

    async def run_pending(self, now: datetime) -> PassSummary | None:
        """Make the pass for the tenants in which something waits for it: where anything is expected.

        They take turns: one in which much waits goes on when the others had theirs, those too in which
        something has come to wait meanwhile.

        Returns:
            What was done; None where nothing waits, or another process makes the pass at this moment.

        Raises:
            StoreUnavailable, BusUnavailable: a server does not answer; what was done is kept.
        """
        summary, began = PassSummary(self.name), self.clock.monotonic()
        waiting = await self._waiting(now)
        if not waiting:
            return None
        async with self.locks.acquire(self.name) as is_alone:
            if not is_alone:
                return None
            while waiting:
                cut_short = set[str]()
                for tenant in waiting:
                    doing = partial(self._turn, tenant, now, summary, cut_short)
                    await self._apart(doing, tenant, now, summary)
                waiting = await self._waiting(now) if cut_short else []
        summary.seconds = self.clock.monotonic() - began
        return summary

    async def _waiting(self, now: datetime) -> Sequence[str]:
        """Return the tenants in which anything is expected."""
        return [one for one in await self.life.tenants() if await self._expected(one, now, None)]

    async def _apart(
        self, doing: Callable[[], Awaitable[Slice]], tenant: str, now: datetime, summary: PassSummary
    ) -> None:
        """Do what there is to do for a tenant; count it where it fails."""
        _add(summary, await self.trials.of(doing, now, tenant, name=self.name))

    async def _expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        """Return how much is expected; nothing where that fails."""
        ids = {"name": self.name, "step": "expected"}
        if not self.trials.in_cooldown(now, tenant, **ids):
            with self.trials.guard(now, tenant, **ids):
                return await self.work.expected(tenant, now, user_id)
        return 0

    async def _make(
        self,
        tenant: str,
        now: datetime,
        user_id: str | None,
        summary: PassSummary,
        report: PassReport = silent,
    ) -> Slice:
        async for one in self.work.slices(tenant, now, user_id, None):
            _add(summary, one)
            report(summary)
        return Slice()

    async def _turn(self, tenant: str, now: datetime, summary: PassSummary, cut_short: set[str]) -> Slice:
        """Make it for a tenant until nothing is left, or its turn is over: then add it to `cut_short`."""
        until = self.clock.monotonic() + _TURN_S
        async with aclosing(self.work.slices(tenant, now, None, None)) as slices:
            async for one in slices:
                _add(summary, one)
                if self.clock.monotonic() >= until:
                    cut_short.add(tenant)
                    break
        return Slice()

    async def _catch_up(self, tenant: str, now: datetime, every: timedelta, summary: PassSummary) -> Slice:
        state = await self.runs.state(tenant, self.name)
        if not _is_due(state, now, every):
            return Slice()
        began_for, after = now, None
        if state.unfinished_run_at is not None and state.unfinished_run_at.date() == now.date():
            began_for, after = state.unfinished_run_at, state.resume_after
        async for one in self.work.slices(tenant, began_for, None, after):
            _add(summary, one)
            if one.reached is not None:
                await self.runs.save_position(tenant, self.name, began_for, one.reached)
        await self.runs.complete(tenant, self.name, now)
        return Slice()


def _is_due(state: PassState, now: datetime, every: timedelta) -> bool:
    """Whether it is time again; a completion far in the future was noted by a clock that was wrong."""
    return state.completed_at is None or abs(now - state.completed_at) >= every


def _add(summary: PassSummary, one: Slice) -> None:
    summary.examined += one.examined
    summary.changed += one.changed
    summary.archived += one.archived
    summary.created += one.created
    summary.failed += one.failed
