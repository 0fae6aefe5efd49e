"""Round robin over tenants with work: the scheduled ones, and periodically all, as processes may end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ricordo.clock import Clock
from ricordo.store.lifecycle_store import LifecycleStore

POLL_INTERVAL_S: Final = 10.0
"""Seconds between two polls of all tenants."""


@dataclass(slots=True)
class TenantRoundRobin:
    """Runs a function for each tenant that has work."""

    store: LifecycleStore
    clock: Clock
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    due: float = 0.0
    _scheduled: set[str] = field(default_factory=set)

    def schedule(self, tenant: str) -> None:
        """Schedule `tenant`."""
        self._scheduled.add(tenant)
        self.woken.set()

    async def run(self, work: Callable[[str], Awaitable[bool]]) -> None:
        """Call `work` for each tenant, round after round, until no tenant has more.

        After an exception, the remaining tenants stay scheduled.

        Args:
            work: returns whether there may be more to do.

        Raises:
            Exception: of `work`.
            StoreUnavailable: the list of tenants is unavailable.
        """
        self.woken.clear()
        waiting = set(await self._tenants())
        try:
            while waiting:
                for tenant in sorted(waiting):
                    if not await work(tenant):
                        waiting.discard(tenant)
                waiting |= set(await self._tenants())
        finally:
            self._scheduled |= waiting

    async def _tenants(self) -> Sequence[str]:
        scheduled, self._scheduled = self._scheduled, set()
        if self.clock.monotonic() < self.due:
            return sorted(scheduled)
        tenants = await self.store.tenants()
        self.due = self.clock.monotonic() + POLL_INTERVAL_S
        return tenants
