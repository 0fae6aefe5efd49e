"""Who says very much at once waits for room: what is deferred is sent on its way as workers get through it.

The rows say what is deferred: it is recorded, and part of the history. Users take turns, and so do tenants.
Whatever ends between a row and its event, reconciliation finds that the message lacks its stages.
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
    """Sends deferred messages on their way while the gate is open."""

    deferred: IntakeStore
    emitter: Emitter
    turns: TenantRoundRobin
    gate: Gate
    clock: Clock
    _last: dict[str, str] = field(default_factory=dict)

    async def run(self) -> None:
        """Admit all that is deferred: of the tenants that were told of, and now and then of all.

        Raises:
            DependencyUnavailable, BusError: what this needs is away; what is deferred stays so.
        """
        await self.turns.take(self._admit_some)

    async def _admit_some(self, tenant: str) -> bool:
        """Admit some of the user whose turn it is; return whether there were any."""
        await self.gate.wait_open()
        behind = self._last.pop(tenant, "")
        admitted = await self.deferred.admit(tenant, behind, _AT_ONCE, self.clock.now())
        if not admitted:
            return bool(behind)  # those at the beginning have their turn again
        self._last[tenant] = admitted[0].user_id
        await self.emitter.emit(tenant, [created(one) for one in admitted])
        return True
