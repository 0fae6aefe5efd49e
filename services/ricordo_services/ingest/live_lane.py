"""The live lane: how many messages of one user are processed ahead of the bulk lane."""

from dataclasses import dataclass, field
from typing import Final

from aiolimiter import AsyncLimiter
from cachetools import LRUCache

_PERIOD_S: Final = 60.0
_MAX_USERS: Final = 50_000


@dataclass(frozen=True, slots=True)
class LiveLane:
    """A leaky bucket for each user; what exceeds it goes to the bulk lane, where it delays nobody.

    The buckets belong to one process and are empty after a restart, since they only choose a lane.

    Attributes:
        burst: capacity of a bucket in messages, from 1; it leaks that many in a minute.
    """

    burst: int
    _buckets: LRUCache[tuple[str, str], AsyncLimiter] = field(
        default_factory=lambda: LRUCache(_MAX_USERS), init=False
    )

    async def admits(self, tenant: str, user_id: str) -> bool:
        """Return whether one more message of the user fits into its bucket, and add it if so."""
        bucket = self._buckets.get((tenant, user_id))
        if bucket is None:
            bucket = self._buckets[tenant, user_id] = AsyncLimiter(self.burst, _PERIOD_S)
        if not bucket.has_capacity():
            return False
        await bucket.acquire()
        return True
