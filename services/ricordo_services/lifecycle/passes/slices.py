"""What a pass has done in one step, and what keeps an item that fails from failing its neighbours."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from uuid import UUID

import structlog

from ricordo.ports.unavailable import Unavailable
from ricordo.runtime.backoff import Backoff

_REST: Final = Backoff(first=60.0, longest=3600.0, jitter=0.0)
_KEPT: Final = timedelta(days=1)  # after its rest: what does not come again by then is no item any more

_log = structlog.stdlib.get_logger(__name__)
_Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """What one committed step of a pass has done.

    Attributes:
        examined, changed, archived, created, failed: see `PassSummary`.
        reached: up to which id, where a later run can go on after it; None where it must begin anew.
    """

    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    failed: int = 0
    reached: UUID | None = None


class Trials:
    """Does the items of a pass apart from each other: one that fails is logged and counted, others go on.

    A work keeps one for as long as it lives, and does each item (a conversation, a user, a group) through it:

        yield await self.trials.of(partial(self._upon, tenant, one), now, tenant, user_id=one.user_id)

    An item that failed rests for a minute, then for twice as long after each further failure, up to an hour:
    a pass that looks for work every few seconds neither fills the log nor asks a model for it each time. It
    counts as failed meanwhile. Who looks for items some at a time looks for more by those that failed, as
    these are found again.

    That a server is away is no fault of an item: `Unavailable` ends the pass.

    Args:
        name: of the pass, for the log; empty where `ids` tell it.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._failed: dict[_Key, tuple[int, datetime]] = {}

    async def of(
        self, doing: Callable[[], Awaitable[Slice]], now: datetime, tenant: str, **ids: object
    ) -> Slice:
        """Do one item; return what was done, or that it failed.

        Args:
            doing: does it.
            now: the moment that the pass is made for.
            tenant: whose item it is.
            ids: which it is, hashable, as the log names it.

        Raises:
            Unavailable: a server is away.
        """
        done = Slice(failed=1)
        if not self.rests(now, tenant, **ids):
            with self.noting(now, tenant, **ids):
                done = await doing()
        return done

    async def each(
        self, slices: AsyncIterator[Slice], now: datetime, tenant: str, **ids: object
    ) -> AsyncIterator[Slice]:
        """Do one item that takes several slices; see `of`. What it did before it failed stays done."""
        failed = True
        if not self.rests(now, tenant, **ids):
            with self.noting(now, tenant, **ids):
                async for one in slices:
                    yield one
                failed = False
        if failed:
            yield Slice(failed=1)

    def rests(self, now: datetime, tenant: str, **ids: object) -> bool:
        """Whether an item failed so short a time ago that it is left alone."""
        _, until = self._failed.get(_key(tenant, ids), (0, now))
        return timedelta() < until - now <= timedelta(seconds=_REST.longest)

    @contextmanager
    def noting(self, now: datetime, tenant: str, **ids: object) -> Iterator[None]:
        """Note whether an item failed within; then its error goes no further.

        Raises:
            Unavailable: a server is away.
        """
        key = _key(tenant, ids)
        try:
            yield
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, others are not to wait for it
            times = self._failed.get(key, (0, now))[0] + 1
            self._failed = {one: kept for one, kept in self._failed.items() if now - kept[1] < _KEPT}
            self._failed[key] = (times, now + timedelta(seconds=_REST.delay(times)))
            which = {"name": self._name, "tenant": tenant, **ids}
            _log.exception("a part of a pass failed", failures=times, **which)
        else:
            self._failed.pop(key, None)


def _key(tenant: str, ids: dict[str, object]) -> _Key:
    return tenant, *ids.items()
