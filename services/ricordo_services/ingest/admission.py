"""Admission control: deferred messages of a flood are processed as the backlog shrinks.

A deferred message is recorded and part of the history. Users take turns, and so do tenants. If a process ends
between the row and its event, reconciliation finds that the message lacks its stages.
"""

from dataclasses import dataclass, field
from typing import Final

from ricordo.clock import Clock
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.gates import Gate
from ricordo.store.intake import IntakeStore
from ricordo_services.ingest.ingest_handler import created
from ricordo_services.ingest.tenant_round_robin import TenantRoundRobin

_AT_ONCE: Final = 16


@dataclass(slots=True)
class AdmissionController:
    """Publishes the events of deferred messages while the gate is open."""

    deferred: IntakeStore
    emitter: Emitter
    turns: TenantRoundRobin
    gate: Gate
    clock: Clock
    _last: dict[str, str] = field(default_factory=dict)

    async def run(self) -> None:
        """Admit all deferred messages of the tenants whose turn it is.

        Raises:
            DependencyUnavailable, BusError: a server is unavailable; the messages stay deferred.
        """
        await self.turns.run(self._admit_some)

    async def _admit_some(self, tenant: str) -> bool:
        """Admit some messages of the next user; return whether there may be more."""
        await self.gate.wait_open()
        after = self._last.pop(tenant, "")
        admitted = await self.deferred.admit(tenant, after, _AT_ONCE, self.clock.now())
        if not admitted:
            return bool(after)  # the next round starts with the first user
        self._last[tenant] = admitted[0].user_id
        await self.emitter.emit(tenant, [created(one) for one in admitted])
        return True
