"""Exponential backoff: the delay before a retry, and the cooldown of failing items."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import structlog

from ricordo.unavailable import DependencyUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with jitter: each delay is twice the one before.

    Attributes:
        first: seconds after the first failure, > 0.
        longest: maximum seconds, before jitter.
        jitter: share in [0, 1] by which a delay is shortened at most, so that clients do not retry together.
    """

    first: float = 1.0
    longest: float = 60.0
    jitter: float = 0.3

    def __post_init__(self) -> None:
        if self.first <= 0 or self.longest < self.first or not 0 <= self.jitter <= 1:
            raise ValueError(f"invalid backoff: {self}")

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after the `attempt`-th failure (from 1), at least 0.001."""
        exponent = min(max(attempt, 1) - 1, 64)
        delay = min(self.first * 2.0**exponent, self.longest)
        return max(delay * (1 - self.jitter * random.random()), 0.001)


_BACKOFF: Final = Backoff(first=60.0, longest=3600.0, jitter=0.0)
_RETENTION: Final = timedelta(days=1)  # of a failure, after its cooldown

_log = structlog.stdlib.get_logger(__name__)
_Key: TypeAlias = tuple[object, ...]


class ItemBackoff:
    """Backoff per item, so that one failing item does not block a pass.

    The cooldown is a minute, doubled by each further failure, up to an hour.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._failed: dict[_Key, tuple[int, datetime]] = {}

    def in_cooldown(self, now: datetime, tenant: str, **ids: object) -> bool:
        """Return whether an item is to be skipped because it failed recently."""
        _, until = self._failed.get(_key(tenant, ids), (0, now))
        return timedelta() < until - now <= timedelta(seconds=_BACKOFF.longest)

    @contextmanager
    def guard(self, now: datetime, tenant: str, **ids: object) -> Iterator[None]:
        """Record and log an error in the context as a failure of the item, and suppress it.

        Raises:
            DependencyUnavailable: a server is down.
        """
        key = _key(tenant, ids)
        try:
            yield
        except DependencyUnavailable:
            raise
        except Exception:  # noqa: BLE001 - the other items must go on
            times = self._failed.get(key, (0, now))[0] + 1
            self._failed = {
                item: entry for item, entry in self._failed.items() if now - entry[1] < _RETENTION
            }
            self._failed[key] = (times, now + timedelta(seconds=_BACKOFF.delay(times)))
            which = {"name": self._name, "tenant": tenant, **ids}
            _log.exception("item failed", failures=times, **which)
        else:
            self._failed.pop(key, None)


def _key(tenant: str, ids: dict[str, object]) -> _Key:
    return tenant, *ids.items()
