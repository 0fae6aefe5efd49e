"""The protocol of a pass, the result of one step of it, and the isolation of items that fail."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from ricordo.runtime.backoff import ItemBackoff

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Slice:
    """The result of one committed step of a pass.

    Attributes:
        reached: the id after which a later run can continue; None if it must start from the beginning.
    """

    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    failed: int = 0
    reached: UUID | None = None


class PassWork(Protocol):
    """The work of a pass on the memories of a tenant; `PassRunner` calls it."""

    @property
    def name(self) -> str:
        """The name of the pass."""
        ...

    async def expected(self, _tenant: str, _now: datetime, _user_id: str | None, /) -> int:
        """Return a cheap estimate of the number of items to examine; 0 if unknown."""
        return 0

    def slices(
        self, tenant: str, now: datetime, user_id: str | None, after: UUID | None, /
    ) -> AsyncGenerator[Slice, None]:
        """Do the work slice by slice, each committed before it is yielded and safe to repeat."""
        ...


class IsolatedItems(ItemBackoff):
    """Runs the items of a pass in isolation: one that fails is logged and counted, others go on.

    A failed item rests (`ItemBackoff`) and counts as failed meanwhile. `DependencyUnavailable` ends the pass:
    it is no fault of an item.
    """

    async def of(
        self, work: Callable[[], Awaitable[Slice]], now: datetime, tenant: str, **ids: object
    ) -> Slice:
        """Run one item; return its result, or a failed slice.

        Raises:
            DependencyUnavailable: a server is unavailable.
        """
        done = Slice(failed=1)
        if not self.in_cooldown(now, tenant, **ids):
            with self.guard(now, tenant, **ids):
                done = await work()
        return done

    async def each(
        self, slices: AsyncGenerator[Slice, None], now: datetime, tenant: str, **ids: object
    ) -> AsyncGenerator[Slice, None]:
        """Run one item that takes several slices; see `of`. Slices before a failure are kept."""
        failed = True
        if not self.in_cooldown(now, tenant, **ids):
            with self.guard(now, tenant, **ids):
                async for done in slices:
                    yield done
                failed = False
        if failed:
            yield Slice(failed=1)

    async def all_due(
        self,
        due: Callable[[int], Awaitable[Sequence[T]]],
        work: Callable[[T], Awaitable[Slice]],
        key: Callable[[T], Hashable],
        ids: Callable[[T], dict[str, str]],
        *,
        now: datetime,
        tenant: str,
    ) -> AsyncGenerator[Slice, None]:
        """Run the due items until only tried ones are found.

        Args:
            due: returns one batch of due items and that many more: tried items may be found again, first.
            key: returns what makes an item a tried one; an item that is due with another key is run again.
            ids: returns the fields that identify an item whose failure is recorded.
        """
        tried: set[Hashable] = set()
        repeated = 0
        while True:
            found = await due(repeated)
            untried = [item for item in found if key(item) not in tried]
            if not untried and len(found) <= repeated:  # the last, larger batch has none behind it either
                return
            repeated = len(found) - len(untried)
            for item in untried:
                tried.add(key(item))
                yield await self.of(lambda item=item: work(item), now, tenant, **ids(item))  # type: ignore[misc]
