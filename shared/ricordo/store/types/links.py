"""Links between memories as a port: who is near to whom, and who is related for it, written together.

All links of a user are changed under one lock, so that each change sees the ones before it whole: what a
process remembers of a user's links is right as long as their state is the one that it remembers.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import Role
from ricordo.memory.links import LinkChanges, LinkedMember
from ricordo.memory.similarity import QuantizedVector
from ricordo.store.types.stages import Progress

Vector = NDArray[np.float32]


class State(NamedTuple):
    """How far the links of a user have come.

    Attributes:
        generation: another one whenever a memory has left: what was remembered does not count any more.
        number: of the last change; each takes the next.
    """

    generation: UUID
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Linkable:
    """A memory with its vector, as it stands now, and as it was linked.

    Attributes:
        stated: whether it is a memory whatever it tells, as the bot or its document says.
        vector: float32 [d], of the asked model.
        linked_model: the model by whose vectors it is linked; None when it is not.
        linked_vector: int16 [d], by which it is linked.
    """

    memory_id: UUID
    user_id: str
    content: str
    language: str
    said_at: datetime
    vector: Vector
    role: Role = Role.USER
    stated: bool = False
    linked_model: str | None = None
    linked_vector: QuantizedVector | None = None


class HeldLinks(Protocol):
    """The links of some users, for as long as nobody else may change them."""

    @property
    def states(self) -> Mapping[str, State]:
        """How far the links of each user are; who has none is left out."""
        ...

    async def linkable(self, model: str, memory_ids: Sequence[UUID]) -> Sequence[Linkable]:
        """Return those of the users' memories that have a vector of `model` which is that of their text."""
        ...

    async def correct(self, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Link the users' messages with what they correct, and later corrections with them.

        What corrects what follows from the set of messages: a repeat changes nothing.

        Returns:
            The corrections that mean something else than before, with those that correct them in turn: what
            they state is to be read again, and lacks its stage until it is.
        """
        ...

    def members(self, user_id: str, model: str, after: int) -> AsyncIterator[Sequence[LinkedMember]]:
        """Yield, some at a time, who is linked by `model` and was changed after the change of that number."""
        ...

    async def write(self, changes: Mapping[tuple[str, str], LinkChanges]) -> Mapping[str, State]:
        """Write what has changed by user and model: neighbours, and `related_ids` of the memories.

        A memory is linked by one model at a time: who joins by one has left the other.

        Returns:
            how far the links of the users are then.
        """
        ...


class Links(Protocol):
    """What enrichment owns of the relations between memories.

    A memory that is erased takes its links along: nobody is related to it from that moment on. Others may
    take its place among the neighbours, when links of its user are changed next.
    """

    def hold(self, tenant: str, user_ids: Sequence[str]) -> AbstractAsyncContextManager[HeldLinks]:
        """Open a transaction that alone changes the links of these users, and commit it at the end.

        Raises:
            StoreUnavailable: nothing was written, unless it was the answer to the commit that was lost.
        """
        ...
