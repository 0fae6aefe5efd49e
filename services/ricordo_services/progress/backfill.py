"""What a backfill is told, and what it tells of itself: between the command and who does it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Part = Literal["all", "importance", "vectors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOrder:
    """What to derive again.

    Attributes:
        part: everything that enrichment derives, the importance alone, or instead the vectors.
        tenant: of this one; None of all.
        user_id: of this user's memories; None of all.
        limit: so many memories at the most; None of any number.
        dry: only say how much it is.
    """

    part: Part = "all"
    tenant: str | None = None
    user_id: str | None = None
    limit: int | None = None
    dry: bool = False


@dataclass(slots=True)
class Backfilled:
    """What a backfill has done so far, or what it would do.

    Attributes:
        version: what is current: of what derives, or the embedding model.
        outdated: how many memories were found to be outdated when it began, within its limit.
        by_version: the same by the version that derived them; the limit disregarded.
        examined: how many were derived or encoded again.
        changed: how many of these were written.
        raised: how many of these are current now.
        left: how many are not: the model did not answer, or they changed meanwhile.
        unencoded: of vectors only: how many memories have never been encoded, which the workers do.
        seconds: how long it took.
    """

    version: str
    outdated: int = 0
    by_version: dict[str, int] = field(default_factory=dict)
    examined: int = 0
    changed: int = 0
    raised: int = 0
    left: int = 0
    unencoded: int = 0
    seconds: float = 0.0


Report = Callable[[Backfilled], None]
