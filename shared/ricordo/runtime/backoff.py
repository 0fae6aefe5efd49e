"""How long to wait before the next try."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import structlog

from ricordo.unavailable import Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with jitter.

    Attributes:
        first: seconds after the first failure, > 0.
        factor: growth per further failure, >= 1.
        longest: seconds at most, before jitter.
        jitter: share in [0, 1] by which a delay is shortened at most, so that those who failed together do
            not come back together.
        rng: where jitter comes from: a number in [0, 1).
    """

    first: float = 1.0
    factor: float = 2.0
    longest: float = 60.0
    jitter: float = 0.3
    rng: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if self.first <= 0 or self.factor < 1 or self.longest < self.first or not 0 <= self.jitter <= 1:
            raise ValueError(f"no sensible backoff: {self}")

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after the `attempt`-th failure (from 1): at least a millisecond."""
        exponent = min(max(attempt, 1) - 1, 64)
        delay = min(self.first * self.factor**exponent, self.longest)
        return max(delay * (1 - self.jitter * self.rng()), 0.001)


_BACKOFF: Final = Backoff(first=60.0, longest=3600.0, jitter=0.0)
_KEPT: Final = timedelta(days=1)  # after its cooldown; then a failure is forgotten

_log = structlog.stdlib.get_logger(__name__)
_Key: TypeAlias = tuple[object, ...]


class ItemBackoff:
    """Records failed items. The cooldown is a minute, doubled by each further failure, up to an hour.

    Args:
        name: of the work, for the log; empty where the ids tell it.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._failed: dict[_Key, tuple[int, datetime]] = {}

    def in_cooldown(self, now: datetime, tenant: str, **ids: object) -> bool:
        """Whether an item is to be skipped, as it failed recently."""
        _, until = self._failed.get(_key(tenant, ids), (0, now))
        return timedelta() < until - now <= timedelta(seconds=_BACKOFF.longest)

    @contextmanager
    def guard(self, now: datetime, tenant: str, **ids: object) -> Iterator[None]:
        """Record and log an error raised within as a failure of the item; it is not raised further.

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
            self._failed[key] = (times, now + timedelta(seconds=_BACKOFF.delay(times)))
            which = {"name": self._name, "tenant": tenant, **ids}
            _log.exception("a part of a pass failed", failures=times, **which)
        else:
            self._failed.pop(key, None)


def _key(tenant: str, ids: dict[str, object]) -> _Key:
    return tenant, *ids.items()
