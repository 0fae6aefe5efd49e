"""What a reindexing is told, and what it tells of itself: between the command and who does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Projected = Literal["graph", "vectors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexOrder:
    """What to write anew from PostgreSQL.

    Attributes:
        projection: which.
        tenant: of this one; None of all.
        user_id: of this user; None of all.
    """

    projection: Projected
    tenant: str | None = None
    user_id: str | None = None


@dataclass(slots=True)
class Reindexed:
    """What a reindexing has done so far with one projection.

    Attributes:
        projection: which.
        found: how many facts, or memories with a vector, there were when it began.
        written: how many of these, and of those that came meanwhile, were written, or handed to the index.
        removed: of the graph only: how many facts it held that are none.
        users: of the graph only: whose facts those are.
        seconds: how long it took.
    """

    projection: Projected
    found: int = 0
    written: int = 0
    removed: int = 0
    users: int = 0
    seconds: float = 0.0


Report = Callable[[Reindexed], None]
