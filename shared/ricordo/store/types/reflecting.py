"""What reflecting reads and writes of the truth: what has accumulated, and the insights drawn from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.memory.model import Memory
from ricordo.store.types.stages import Progress


@dataclass(frozen=True, slots=True)
class Accumulated:
    """A user about whom much has come in.

    Attributes:
        importance: the sum, from 1 to 10 each, of what they said since the last reflection.
    """

    user_id: str
    importance: float


@dataclass(frozen=True, slots=True)
class Observed:
    """What a reflection is drawn from.

    Attributes:
        memories: the latest that the user said, in any order.
        own_names: what the user is called.
    """

    memories: Sequence[Memory]
    own_names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Reflection:
    """An insight, ready to be remembered.

    Attributes:
        about: a hash of what it says of whom: an earlier insight with the same one gives way to it.
    """

    about: UUID
    memory: Memory


@dataclass(frozen=True, slots=True)
class Reflected:
    """What a reflection has left behind.

    Attributes:
        written: the stages of its insights that are there now, in their order.
        created: how many of them were not there before.
        withdrawn: former insights that have given way to some of these.
    """

    written: Sequence[Progress]
    created: int
    withdrawn: Sequence[UUID]


class Reflecting(Protocol):
    """Users about whom much has come in, and the one transaction that writes what was understood of them."""

    async def due(
        self, tenant: str, threshold: float, *, user_id: str | None, limit: int
    ) -> Sequence[Accumulated]:
        """Return users of whom more than `threshold` has accumulated, the most first."""
        ...

    async def observed(self, tenant: str, user_id: str, most: int) -> Observed:
        """Return the latest enriched memories of what a user said, archived ones left out."""
        ...

    async def reflect(
        self, tenant: str, one: Accumulated, reflections: Sequence[Reflection], at: datetime
    ) -> Reflected | None:
        """Write insights and take what they were drawn from off what has accumulated, in one transaction.

        An insight takes the place of a former one about the same, and keeps its pin and what use has made of
        it. One that the user corrected or verified stays as it is. One of whose sources any is gone is left
        out.

        Args:
            tenant: whose.
            one: as it was when it was read.
            reflections: about something different each.
            at: when they are stored.

        Returns:
            What was written; None where somebody else has reflected since: then nothing is.

        Raises:
            StoreUnavailable: nothing was written, unless it was the answer that was lost.
        """
        ...
