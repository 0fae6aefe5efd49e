"""Expiry: what is past its `expires_at` goes to the archive."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from ricordo.messages.enumerations import ArchiveReason
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.pass_store import RetentionStore
from ricordo_services.lifecycle.derived_events import archived
from ricordo_services.lifecycle.passes.slices import Slice

_SLICE: Final = 5_000


@dataclass(frozen=True, slots=True)
class ExpiryPass:
    """The work of `expire`."""

    retention: RetentionStore
    emitter: Emitter
    kept: timedelta
    name: str = "expire"

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        """Return how many memories are past their time: few, and found by an index of their own."""
        return await self.retention.expiring(tenant, now, user_id=user_id, kept=self.kept)

    async def slices(
        self,
        tenant: str,
        now: datetime,
        user_id: str | None,
        after: UUID | None,  # noqa: ARG002 - what has expired is not found again
    ) -> AsyncGenerator[Slice, None]:
        """Archive what is past its time."""
        while True:
            gone = await self.retention.expire(tenant, now, user_id=user_id, kept=self.kept, limit=_SLICE)
            await self.emitter.emit(tenant, archived(gone, ArchiveReason.EXPIRY))
            yield Slice(examined=len(gone), changed=len(gone), archived=len(gone))
            if not gone:
                return
