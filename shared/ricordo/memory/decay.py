"""What is left of the strength of a memory: a function of its last use and of the clock, stored nowhere."""

from datetime import datetime
from typing import Final

from ricordo.memory.model import Memory

_GRACE_DAYS: Final = 7


def decay_factor(memory: Memory, now: datetime, *, floors: bool = True) -> float:
    """Return the decay factor at an instant, [0, 1]: a forgetting curve after Ebbinghaus.

    After more than seven whole days since the later of last use and storage it is
    min(1, 0.95^weeks + 0.3 arousal + 0.2 importance). An archived memory keeps that of `archived_at`; a
    pinned or verified one has 1. The SQL function of this name returns the same.

    Args:
        floors: whether it is at least 0.2 + 0.7 importance.
    """
    stored_at = memory.stored_at or memory.created_at  # what is imported is not born faded
    days = ((memory.archived_at or now) - max(stored_at, memory.last_accessed or stored_at)).days
    if memory.pinned or memory.verified or days <= _GRACE_DAYS:
        return 1.0
    protection = 0.3 * memory.emotion.arousal + 0.2 * memory.importance
    factor = min(1.0, 0.95 ** (days // 7) + protection)
    return max(factor, 0.2 + 0.7 * memory.importance) if floors else factor
