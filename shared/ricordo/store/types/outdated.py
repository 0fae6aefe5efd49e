"""What former versions have derived, and how it is raised to the present one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from uuid import UUID

from ricordo.store.types.memories import EnrichedMemory
from ricordo.store.types.stages import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Which memories are outdated. Only those count that were enriched before, and have a vector.

    Attributes:
        models: of the vectors, the primary first.
        version: what is current. Whatever else derived or rated a memory is outdated,
        with_model: but without a language model, what one has derived is left alone.
        rating_only: disregard what derived the rest.
        user_id: of this user; None of any.
    """

    models: tuple[str, ...]
    version: str
    with_model: bool = False
    rating_only: bool = False
    user_id: str | None = None


class Outdated(NamedTuple):
    """An outdated memory.

    Attributes:
        model: of the vector that it is derived from.
        version: of what has derived it so far.
        rated_by: the same of its importance.
    """

    memory_id: UUID
    user_id: str
    model: str
    version: str
    rated_by: str


class Slice(NamedTuple):
    """Some outdated memories in id order, or none, and the id after which to go on: None at the end."""

    outdated: Sequence[Outdated]
    last: UUID | None


class OutdatedMemories(Protocol):
    """What `backfill` asks of the truth, beside `Enrichments`. That it goes on follows from the versions."""

    async def count(self, tenant: str, sought: Sought) -> Mapping[str, int]:
        """Count what is outdated, by the version of what derived it (or rated it, where only that counts)."""
        ...

    async def find(self, tenant: str, sought: Sought, after: UUID | None, limit: int) -> Slice:
        """Return at most `limit` of what is outdated, in id order after `after`."""
        ...

    async def replace(
        self, tenant: str, enriched: Sequence[EnrichedMemory], *, rating_only: bool = False
    ) -> Sequence[Progress]:
        """Write the derived columns, or the rating alone, and take back the stage `indexed`, in one go.

        What the bot stated stays, and so does what use has added. The missing stage says that the point has
        yet to follow, until it has. Returns the stages of what was written: the forgotten, and those whose
        zone has changed meanwhile, are left out.
        """
        ...
