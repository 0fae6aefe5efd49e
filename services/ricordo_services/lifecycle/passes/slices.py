"""What a pass has done in one step, and what keeps an item that fails from failing its neighbours."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ricordo.runtime.backoff import ItemBackoff


@dataclass(frozen=True, slots=True)
class Slice:
    """What one committed step of a pass has done.

    Attributes:
        reached: up to which id, where a later run can go on after it; None where it must begin anew.
    """

    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    failed: int = 0
    reached: UUID | None = None


class IsolatedItems(ItemBackoff):
    """Does the items of a pass apart from each other: one that fails is logged and counted, others go on.

    A work keeps one for as long as it lives, and does each item (a conversation, a user, a group) through it:

        yield await self.trials.of(partial(self._upon, tenant, one), now, tenant, user_id=one.user_id)

    What failed rests, see `ItemBackoff`, and counts as failed meanwhile. Who looks for items some at a time
    looks for more by those that failed, as these are found again.

    That a server is away is no fault of an item: `Unavailable` ends the pass.
    """

    async def of(
        self, doing: Callable[[], Awaitable[Slice]], now: datetime, tenant: str, **ids: object
    ) -> Slice:
        """Do one item; return what was done, or that it failed.

        Raises:
            Unavailable: a server is away.
        """
        done = Slice(failed=1)
        if not self.in_cooldown(now, tenant, **ids):
            with self.guard(now, tenant, **ids):
                done = await doing()
        return done

    async def each(
        self, slices: AsyncGenerator[Slice, None], now: datetime, tenant: str, **ids: object
    ) -> AsyncGenerator[Slice, None]:
        """Do one item that takes several slices; see `of`. What it did before it failed stays done."""
        failed = True
        if not self.in_cooldown(now, tenant, **ids):
            with self.guard(now, tenant, **ids):
                async for one in slices:
                    yield one
                failed = False
        if failed:
            yield Slice(failed=1)
