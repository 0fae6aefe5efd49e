"""Who says very much at once waits for room: what is deferred is sent on its way as workers get through it.

The rows say what is deferred: it is recorded, and part of the history. Users take turns, and so do tenants.
Whatever ends between a row and its event, reconciliation finds that the message lacks its stages.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ricordo.ports.clock import Clock
from ricordo.ports.life import Life
from ricordo.ports.memories import Deferred
from ricordo.runtime.emitting import Emitter
from ricordo.runtime.gates import Gate
from ricordo_services.ingest.handlers import created

LOOK_EVERY_S: Final = 30.0
"""Seconds between two looks for messages that nobody was told of, as after the end of another process."""
_AT_ONCE: Final = 16


@dataclass(slots=True)
class Admit:
    """Sends deferred messages on their way while the gate is open.

    Attributes:
        deferred, life, emitter, clock: what it works with.
        gate: open while what is said does not wait long for workers.
        woken: set where something was deferred.
    """

    deferred: Deferred
    life: Life
    emitter: Emitter
    clock: Clock
    gate: Gate
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    _told: set[str] = field(default_factory=set)
    _last: dict[str, str] = field(default_factory=dict)
    _due: float = 0.0

    def tell(self, tenant: str) -> None:
        """Hear that something of `tenant` is deferred."""
        self._told.add(tenant)
        self.woken.set()

    async def run(self) -> None:
        """Admit all that is deferred: of the tenants that were told of, and now and then of all.

        Raises:
            Unavailable, BusError: what this needs is away; what is deferred stays so.
        """
        self.woken.clear()
        waiting = set(await self._tenants())
        try:
            while waiting:
                for tenant in sorted(waiting):
                    await self.gate.wait_open()
                    if not await self._admit_some(tenant):
                        waiting.discard(tenant)
                waiting |= set(await self._tenants())
        finally:
            self._told |= waiting  # where it was cut short, the next run goes on

    async def _admit_some(self, tenant: str) -> bool:
        """Admit some of the user whose turn it is; return whether there were any."""
        behind = self._last.pop(tenant, "")
        admitted = await self.deferred.admit(tenant, behind, _AT_ONCE)
        if not admitted:
            return bool(behind)  # those at the beginning have their turn again
        self._last[tenant] = admitted[0].user_id
        await self.emitter.emit(tenant, [created(one) for one in admitted])
        return True

    async def _tenants(self) -> Sequence[str]:
        told, self._told = self._told, set()
        if self.clock.monotonic() < self._due:
            return sorted(told)
        tenants = await self.life.tenants()
        self._due = self.clock.monotonic() + LOOK_EVERY_S
        return tenants
