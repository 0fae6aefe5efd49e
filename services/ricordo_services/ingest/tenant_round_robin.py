"""Tenants take turns: those that were told of, and now and then all, as after the end of another process."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ricordo.clock import Clock
from ricordo.store.lifecycle_store import LifecycleStore

LOOK_EVERY_S: Final = 10.0
"""Seconds between two looks at all tenants."""


@dataclass(slots=True)
class TenantRoundRobin:
    """Has something done for each tenant for which there is something to do."""

    life: LifecycleStore
    clock: Clock
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    due: float = 0.0
    _told: set[str] = field(default_factory=set)

    def tell(self, tenant: str) -> None:
        """Hear that there is something to do for `tenant`."""
        self._told.add(tenant)
        self.woken.set()

    async def take(self, one: Callable[[str], Awaitable[bool]]) -> None:
        """Do one thing for each tenant, round after round, and for those that are told of meanwhile too.

        Where it is cut short, the next time goes on.

        Args:
            one: does it, and returns whether there may be more to do.

        Raises:
            Exception: whatever `one` raised.
            StoreUnavailable: which tenants there are cannot be asked.
        """
        self.woken.clear()
        waiting = set(await self._tenants())
        try:
            while waiting:
                for tenant in sorted(waiting):
                    if not await one(tenant):
                        waiting.discard(tenant)
                waiting |= set(await self._tenants())
        finally:
            self._told |= waiting

    async def _tenants(self) -> Sequence[str]:
        told, self._told = self._told, set()
        if self.clock.monotonic() < self.due:
            return sorted(told)
        tenants = await self.life.tenants()
        self.due = self.clock.monotonic() + LOOK_EVERY_S
        return tenants
