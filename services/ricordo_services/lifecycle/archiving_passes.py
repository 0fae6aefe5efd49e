"""The passes that move memories to the archive: decay, expiry, retention; and the report of past moves."""

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.messages.enumerations import ArchiveReason
from ricordo.messages.events import MemoryDecayed
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.pass_store import OBSERVATIONS, REFLECTIONS, Quota, RetentionStore, Strategy
from ricordo_services.lifecycle.derived_events import archived, republish
from ricordo_services.lifecycle.pass_runner import PassScope, PassWork, Slice

_SLICE: Final = 5_000  # memories
_DECAY_SLICE: Final = 10_000


@dataclass(frozen=True, slots=True)
class DecayPass:
    """Archives memories that have faded: unused, of little importance, and too weak by the decay formula."""

    lifecycle_store: LifecycleStore
    retention: RetentionStore
    emitter: Emitter

    async def expected(self, scope: PassScope) -> int:
        """Return how many memories there are."""
        return await self.retention.count(scope.tenant, scope.user_id)

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        """Look at all memories; one that is interrupted goes on where it was."""
        tenant, after, faded = scope.tenant, scope.after, Counter[str]()
        while True:
            done = await self.lifecycle_store.archive_faded(
                tenant, scope.now, user_id=scope.user_id, after=after, limit=_DECAY_SLICE
            )
            await self.emitter.emit(tenant, archived(done.archived, ArchiveReason.DECAY))
            after = done.last
            faded.update(owner for _, owner in done.archived)
            # Memories come in the order of their users: only of the last one there may be more.
            finished = [owner for owner in faded if after is None or owner != done.last_user]
            await self.emitter.emit(
                tenant, [MemoryDecayed(user_id=owner, archived=faded.pop(owner)) for owner in finished]
            )
            yield Slice(done.examined, len(done.archived), len(done.archived), reached=after)
            if after is None:
                return


@dataclass(frozen=True, slots=True)
class ExpiryPass:
    """Archives memories whose `expires_at` has passed.

    Attributes:
        kept: how long a memory that was restored from the archive stays out of it.
    """

    retention: RetentionStore
    emitter: Emitter
    kept: timedelta

    async def expected(self, scope: PassScope) -> int:
        """Return how many memories have expired, by an index of their own."""
        return await self.retention.expiring(scope.tenant, scope.now, user_id=scope.user_id, kept=self.kept)

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        """Archive expired memories; they are not found again."""
        gone: Sequence[tuple[UUID, str]] | None = None
        while gone is None or gone:
            gone = await self.retention.expire(
                scope.tenant, scope.now, user_id=scope.user_id, kept=self.kept, limit=_SLICE
            )
            await self.emitter.emit(scope.tenant, archived(gone, ArchiveReason.EXPIRY))
            yield Slice(examined=len(gone), changed=len(gone), archived=len(gone))


@dataclass(frozen=True, slots=True)
class RetentionPass:
    """Archives the worst memories of users who have more than their limit.

    Attributes:
        limits: how many observations, and how many reflections, a user may have; None for any number.
    """

    retention: RetentionStore
    emitter: Emitter
    limits: tuple[int | None, int | None]
    strategy: Strategy = "importance_weighted"

    async def expected(self, scope: PassScope) -> int:
        """Return the number of memories of the users over their limit."""
        over = self.retention.over_quota
        found = [await over(scope.tenant, *limit, scope.user_id) for limit in self._limits()]
        return sum(sum(numbers.values()) for numbers in found)

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        """Prune one user after the other; those within their limit are not found again."""
        for kinds, limit in self._limits():
            over = await self.retention.over_quota(scope.tenant, kinds, limit, scope.user_id)
            for user, number in over.items():
                quota = Quota(user_id=user, kinds=kinds, limit=limit, strategy=self.strategy)
                yield Slice(examined=number)
                async for done in scope.each(self._prune(scope.tenant, scope.now, quota), user_id=user):
                    yield done

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


@dataclass(frozen=True, slots=True)
class ArchivePass(PassWork):
    """Publishes at once the moves to and from the archive that the reconciliation publishes a while later.

    The database stamps each move, so the moment that the pass is run for does not matter.
    """

    lifecycle_store: LifecycleStore
    emitter: Emitter
    clock: Clock

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        """Publish all moves that are unreported."""
        before, tenant = self.clock.now(), scope.tenant
        while moved := await self.lifecycle_store.unreported_moves(
            tenant, before, _SLICE, user_id=scope.user_id
        ):
            await republish(self.lifecycle_store, self.emitter, tenant, moved)
            yield Slice(examined=len(moved), changed=len(moved))
