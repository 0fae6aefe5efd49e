"""What was used last is remembered, within a bound: for all who would else compute or read it again."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Values by key, as long as they take no more than so much together; the longest unused goes first.

    One value that takes more than that by itself is not remembered, and costs no other its place. Not for
    several threads at once.

    Args:
        room: how much they may take; how many there may be, where each takes 1.

    Attributes:
        size: how much they take.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """Return a value, which is used by that, or None."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

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
        self._kept[key] = value, size
        self.size += size
        while self.size > self._room:
            self.take(next(iter(self._kept)))

    def take(self, key: Key) -> Value | None:
        """Return a value, or None, and forget it."""
        if key not in self._kept:
            return None
        value, size = self._kept.pop(key)
        self.size -= size
        return value

    def forget_while(self, stale: Callable[[Value], bool]) -> None:
        """Forget values, the longest unused first, up to one that is not stale."""
        while self._kept:
            key, (value, _) = next(iter(self._kept.items()))
            if not stale(value):
                return
            self.take(key)
