"""ArchivePass: whoever keeps a copy of memories is told once more what the archive took or gave back."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo_services.lifecycle.derived_events import republish
from ricordo_services.lifecycle.passes.slices import Slice

_SLICE: Final = 5_000


@dataclass(frozen=True, slots=True)
class ArchivePass:
    """The work of `archive`: tells at once what the reconciliation tells a while after each move.

    Moves are noted by the clock of the database, so the moment that the pass is made for does not matter.
    """

    life: LifecycleStore
    emitter: Emitter
    clock: Clock
    name: str = "archive"

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:  # noqa: ARG002
        """Return 0: nobody has counted the moves."""
        return 0

    async def slices(
        self,
        tenant: str,
        now: datetime,  # noqa: ARG002
        user_id: str | None,
        after: UUID | None,  # noqa: ARG002 - what was told is not found again
    ) -> AsyncGenerator[Slice, None]:
        """Tell of all moves."""
        before = self.clock.now()
        while moved := await self.life.unreported_moves(tenant, before, _SLICE, user_id=user_id):
            await republish(self.life, self.emitter, tenant, moved)
            yield Slice(examined=len(moved), changed=len(moved))
