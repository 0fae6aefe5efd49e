"""Expiry and retention: how much is there, what is past its time, and what is over a quota."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from ricordo.memory.retention import Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many memories of a user stay out of the archive.

    Attributes:
        user_id: whose.
        kinds: which of them count.
        limit: how many stay.
        strategy: which ones these are.
    """

    user_id: str
    kinds: tuple[str, ...]
    limit: int
    strategy: Strategy


class Retention(Protocol):
    """What the passes ask about all memories of a tenant; each method is one transaction."""

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Return how many memories there are, of a user or of all, archived ones too."""
        ...

    async def expiring(self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta) -> int:
        """Return how many memories `expire` would archive."""
        ...

    async def expire(
        self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive, oldest expiry first, what is past its time, and return it with its users.

        What is pinned stays. What was used after its time stays for `kept` from that use on, however often; a
        use that is dated ahead of `now` is none.
        """
        ...

    async def over_quota(
        self, tenant: str, kinds: Sequence[str], limit: int, user_id: str | None
    ) -> Mapping[str, int]:
        """Return the users with more than `limit` memories of `kinds` out of the archive, and how many."""
        ...

    async def prune(
        self, tenant: str, now: datetime, quota: Quota, *, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive at most `limit` memories of those that are over a user's quota, the worst first.

        Which ones, `ricordo.memory.retention.pruned` says: pinned and verified ones stay.

        Returns:
            What was archived, each with its user; fewer than `limit` when no more have to go.
        """
        ...
