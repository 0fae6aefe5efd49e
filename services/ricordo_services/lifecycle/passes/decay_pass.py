"""DecayPass: what was not used for more than a week fades, and what is too weak goes to the archive."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.messages.enumerations import ArchiveReason
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.pass_store import RetentionStore
from ricordo_services.lifecycle.derived_events import archived
from ricordo_services.lifecycle.passes.slices import Slice

_SLICE: Final = 10_000  # memories that are looked at at once


@dataclass(frozen=True, slots=True)
class DecayPass:
    """The work of `decay`: a function of the rows and of the moment alone."""

    life: LifecycleStore
    retention: RetentionStore
    emitter: Emitter
    floors: bool = True
    name: str = "decay"

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:  # noqa: ARG002
        """Return how many memories there are."""
        return await self.retention.count(tenant, user_id)

    async def slices(
        self, tenant: str, now: datetime, user_id: str | None, after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        """Let memories fade; at most one pass a day changes anything."""
        while True:
            done = await self.life.decay(
                tenant, now, user_id=user_id, after=after, limit=_SLICE, floors=self.floors
            )
            await self.emitter.emit(tenant, archived(done.archived, ArchiveReason.DECAY))
            after = done.last
            yield Slice(done.examined, done.changed, len(done.archived), reached=after)
            if after is None:
                return
