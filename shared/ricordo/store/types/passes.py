"""Which passes of lifecycle were made and how far they came, and that one process at a time makes each."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PassState:
    """How far a pass is with a tenant.

    Attributes:
        completed_at: when it last came to its end; None if it never did.
        began_for: the moment that an unfinished run is made for; None where none is unfinished.
        reached: up to which id that run has come.
    """

    completed_at: datetime | None = None
    began_for: datetime | None = None
    reached: UUID | None = None


class PassRuns(Protocol):
    """Remembers the passes that are made by the clock, of one tenant each."""

    async def state(self, tenant: str, name: str) -> PassState:
        """Return how far the pass of that name is; of one that never ran, nothing."""
        ...

    async def reach(self, tenant: str, name: str, began_for: datetime, reached: UUID) -> None:
        """Note how far an unfinished run has come."""
        ...

    async def complete(self, tenant: str, name: str, at: datetime) -> None:
        """Note that a run came to its end; none is unfinished then."""
        ...


class PassLocks(Protocol):
    """Lets one holder at a time, over all processes, make a pass."""

    def alone(self, name: str, patience: float = 0) -> AbstractAsyncContextManager[bool]:
        """Take the lock of a pass if it is free; it is given up at the end.

        It is given up as well when the process dies that holds it, or its connection is cut.

        Args:
            name: of the pass.
            patience: seconds to wait for it.

        Returns:
            A context that yields whether it was free.
        """
        ...
