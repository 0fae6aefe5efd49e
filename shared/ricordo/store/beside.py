"""Computing beside the event loop, as the ledger needs it."""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class Beside(Protocol):
    """Computes beside the event loop."""

    async def each(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Return what `work` makes of each of `items`, in their order."""
        ...
