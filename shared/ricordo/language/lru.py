"""What was used lately is remembered, within a bound: for all who would else compute or read it again."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

IDLE_S: Final = 600.0
"""Seconds after which what nobody uses is forgotten: a process holds what those need who are there."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Values by key, as long as they take no more than so much together; the longest unused goes first.

    One value that takes more than that by itself is not remembered, and costs no other its place. What was
    not used for a while goes too, whenever others are used. Not for several threads at once.

    Args:
        room: how much they may take; how many there may be, where each takes 1.
        idle: after how long.
        now: the time, in the unit of `idle`.

    Attributes:
        size: how much they take.
    """

    def __init__(self, room: int, *, idle: float = IDLE_S, now: Callable[[], float] = time.monotonic) -> None:
        self._room = room
        self._idle = idle
        self._now = now
        self._kept: OrderedDict[Key, tuple[Value, int, float]] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """Return a value, which is used by that, or None."""
        if key not in self._kept:
            return None
        value, size, _ = self._kept.pop(key)
        self._kept[key] = value, size, self._now()
        self._forget_idle()
        return value

    def put(self, key: Key, value: Value, size: int = 1) -> None:
        """Remember a value instead of what was there; for it, the longest unused are forgotten.

        Args:
            key: by which it is found.
            value: not None.
            size: how much it takes, >= 0, for as long as it is here.
        """
        self.take(key)
        if size > self._room:
            return
        self._kept[key] = value, size, self._now()
        self.size += size
        while self.size > self._room:
            self.take(next(iter(self._kept)))
        self._forget_idle()

    def take(self, key: Key) -> Value | None:
        """Return a value, or None, and forget it."""
        if key not in self._kept:
            return None
        value, size, _ = self._kept.pop(key)
        self.size -= size
        return value

    def _forget_idle(self) -> None:
        """Forget what was not used for a while before the value that was used last."""
        if not self._kept:
            return
        _, _, latest = self._kept[next(reversed(self._kept))]
        while latest - self._kept[key := next(iter(self._kept))][2] > self._idle:
            self.take(key)
