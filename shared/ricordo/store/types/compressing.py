"""What sleep reads and writes of the truth: old and weak memories, and the syntheses that they become."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.memory.compression import CompressionCandidate
from ricordo.memory.model import Memory
from ricordo.memory.summaries import SessionTurn
from ricordo.store.types.stages import Progress


@dataclass(frozen=True, slots=True)
class Place:
    """Where reading goes on: behind a memory, in the order of time and id."""

    created_at: datetime
    id: UUID


class Compressing(Protocol):
    """Candidates of a user, in slices, and the one transaction that makes a synthesis of them."""

    async def users(self, tenant: str, before: datetime, after: str, limit: int) -> Sequence[str]:
        """Return users, in order, who said something before `before`.

        Args:
            tenant: whose users.
            before: aware.
            after: the user behind whom to go on; "" to begin with the first.
            limit: how many at the most.
        """
        ...

    async def weak(
        self, tenant: str, user_id: str, model: str, now: datetime, *, after: Place | None, limit: int
    ) -> Sequence[CompressionCandidate]:
        """Return memories that `ricordo.memory.compression.is_weak` holds for, in the order of time.

        Those that are not enriched yet, or have no vector of `model`, are left out.
        """
        ...

    async def sources(
        self, tenant: str, user_id: str, model: str, ids: Sequence[UUID]
    ) -> Sequence[SessionTurn]:
        """Return memories of a user, with their vectors of `model`, in any order; others are left out."""
        ...

    async def compress(
        self, tenant: str, synthesis: Memory, sources: Sequence[Memory], now: datetime, at: datetime
    ) -> Progress | None:
        """Write a synthesis and mark its sources as compressed, in one transaction.

        Args:
            tenant: whose.
            synthesis: a memory without a message.
            sources: those that it was made of, as they were read.
            now: for which they must still be old and weak.
            at: when the synthesis is stored.

        Returns:
            The stages of the synthesis; None where a source was used, changed, forgotten or compressed since
            it was read: then nothing is written.

        Raises:
            StoreUnavailable: nothing was written, unless it was the answer that was lost.
        """
        ...
