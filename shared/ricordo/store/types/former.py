"""Memories whose vectors are of a former embedding model, and how they are moved to the present one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

from ricordo.store.types.stages import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """Which memories are looked for: those that were enriched, but not encoded by `model` alone.

    Attributes:
        model: the present one. Who has no vector of it, or one of another text, or one of another model
            beside it, is still to be moved.
        user_id: of this user; None of any.
    """

    model: str
    user_id: str | None = None


class Former(NamedTuple):
    """A memory that is still to be moved.

    Attributes:
        encoded: whether its text has a vector of the present model already.
    """

    memory_id: UUID
    user_id: str
    text: str
    encoded: bool


class FormerSlice(NamedTuple):
    """Some of them in id order, or none, and the id after which to go on: None at the end."""

    former: Sequence[Former]
    last: UUID | None


class FormerVectors(Protocol):
    """What the re-embedding asks of the truth. That it goes on where it stopped follows from the vectors."""

    async def count(self, tenant: str, behind: Behind) -> Mapping[str, int]:
        """Count them by former model: one, where a memory has several; the present one for old texts."""
        ...

    async def unencoded(self, tenant: str, user_id: str | None) -> int:
        """Count the memories, of this user or of any, that no model has encoded yet."""
        ...

    async def held(self, tenant: str, models: Sequence[str]) -> Mapping[str, int]:
        """Count the memories that have a vector of each of `models`; cheap, and blind to their texts."""
        ...

    async def find(self, tenant: str, behind: Behind, after: UUID | None, limit: int) -> FormerSlice:
        """Return at most `limit` of them, in id order after `after`."""
        ...

    async def release(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Drop the vectors of other models, and take back the stage `indexed`, in one go.

        Also of those that come right after one of them and have a vector of `model`: their window lacks their
        predecessor's. The missing stage says that the point has yet to follow, until it has. A memory that
        has no vector of `model`, of its present text, is left as it is.

        Returns:
            The stages of those whose point has to follow, in id order: all of them that were enriched.
        """
        ...

    async def retire(self, tenant: str, keep: Sequence[str], before: datetime) -> Sequence[str]:
        """Strike out the models that no memory has a vector of any more, and return their names.

        As long as a memory that came in before `before` has a point yet to follow, none is: its former point
        is in the collection of a former model.

        Args:
            tenant: whose memories.
            keep: those that serve, which stay known.
            before: when the moving began.
        """
        ...
