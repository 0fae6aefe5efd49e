"""The memories that have a point in the vector index, or should have: for an index that is written anew."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol
from uuid import UUID

from ricordo.store.types.stages import Progress


class Released(NamedTuple):
    """Some memories in id order, or none.

    Attributes:
        memories: each with its stages.
        last: the id after which to go on; None at the end.
    """

    memories: Sequence[Progress]
    last: UUID | None


class IndexedMemories(Protocol):
    """What `reindex` asks of the truth. Only those count that are enriched and have a vector.

    Every method raises `StoreUnavailable` when the store does not answer.
    """

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Count the memories of a user, or of all."""
        ...

    async def release(self, tenant: str, user_id: str | None, after: UUID | None, limit: int) -> Released:
        """Take back the stage `indexed` of at most `limit` memories, in id order after `after`.

        The missing stage says that the point has yet to be written, should nobody be told of it.
        """
        ...
