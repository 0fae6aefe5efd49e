"""Retention: of more memories than a user is to have, the worst go to the archive."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.messages.enumerations import ArchiveReason
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.pass_store import OBSERVATIONS, REFLECTIONS, Quota, RetentionStore, Strategy
from ricordo_services.lifecycle.derived_events import archived
from ricordo_services.lifecycle.passes.slices import IsolatedItems, Slice

_SLICE: Final = 5_000


@dataclass(frozen=True, slots=True)
class RetentionPass:
    """The work of `retain`.

    Attributes:
        limits: how many observations, and how many reflections, a user may have; None for any number.
    """

    retention: RetentionStore
    emitter: Emitter
    limits: tuple[int | None, int | None]
    strategy: Strategy = "importance_weighted"
    name: str = "retain"
    trials: IsolatedItems = field(default_factory=lambda: IsolatedItems("retain"))

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:  # noqa: ARG002
        """Return how many memories those have who have too many."""
        found = [await self.retention.over_quota(tenant, *limit, user_id) for limit in self._limits()]
        return sum(sum(one.values()) for one in found)

    async def slices(
        self,
        tenant: str,
        now: datetime,
        user_id: str | None,
        after: UUID | None,  # noqa: ARG002 - who has no more than that is not found again
    ) -> AsyncGenerator[Slice, None]:
        """Prune one user after the other; the memories of who has too many are examined."""
        for kinds, limit in self._limits():
            for user, number in (await self.retention.over_quota(tenant, kinds, limit, user_id)).items():
                quota = Quota(user_id=user, kinds=kinds, limit=limit, strategy=self.strategy)
                yield Slice(examined=number)
                async for one in self.trials.each(self._prune(tenant, now, quota), now, tenant, user_id=user):
                    yield one

    async def _prune(self, tenant: str, now: datetime, quota: Quota) -> AsyncGenerator[Slice, None]:
        while True:
            gone = await self.retention.prune(tenant, now, quota, limit=_SLICE)
            await self.emitter.emit(tenant, archived(gone, ArchiveReason.RETENTION))
            yield Slice(changed=len(gone), archived=len(gone))
            if len(gone) < _SLICE:
                return

    def _limits(self) -> list[tuple[tuple[str, ...], int]]:
        chosen = ((OBSERVATIONS, self.limits[0]), (REFLECTIONS, self.limits[1]))
        return [(kinds, limit) for kinds, limit in chosen if limit is not None]
