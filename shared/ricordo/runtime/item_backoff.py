"""What keeps one of many that fails from holding up its neighbours: it is logged, and rests."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import structlog

from ricordo.runtime.backoff import Backoff
from ricordo.unavailable import Unavailable

_REST: Final = Backoff(first=60.0, longest=3600.0, jitter=0.0)
_KEPT: Final = timedelta(days=1)  # after its rest: what does not come again by then is no item any more

_log = structlog.stdlib.get_logger(__name__)
_Key: TypeAlias = tuple[object, ...]


class ItemBackoff:
    """Remembers which items of some work have failed.

    An item that failed rests for a minute, then for twice as long after each further failure, up to an hour:
    who looks for work every few seconds neither fills the log nor asks a model for it each time.

    Args:
        name: of the work, for the log; empty where the ids tell it.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._failed: dict[_Key, tuple[int, datetime]] = {}

    def in_cooldown(self, now: datetime, tenant: str, **ids: object) -> bool:
        """Whether an item failed so short a time ago that it is left alone."""
        _, until = self._failed.get(_key(tenant, ids), (0, now))
        return timedelta() < until - now <= timedelta(seconds=_REST.longest)

    @contextmanager
    def guard(self, now: datetime, tenant: str, **ids: object) -> Iterator[None]:
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
