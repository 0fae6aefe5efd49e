"""Lifecycle's events: use strengthens."""

from collections.abc import Sequence
from dataclasses import dataclass

from ricordo.messages.events import MemoryAccessed, MemoryChanged, SessionEnded
from ricordo.ports.life import Access, Life
from ricordo.runtime.handling import Done, Envelope, Outcome

STRENGTHENED = ("access_count", "last_accessed", "reinforcement", "importance", "decay_factor")


@dataclass(frozen=True, slots=True)
class Reinforce:
    """Handles `memory.accessed`: each event strengthens its memories exactly once."""

    life: Life

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryAccessed]]) -> Sequence[Outcome]:
        """Strengthen what was recalled; one outcome each."""
        accesses = [
            Access(event.body.recall_id, event.body.user_id, event.body.memory_ids, event.body.at)
            for event in events
        ]
        await self.life.reinforce(tenant, accesses)
        return [
            Done(
                (
                    MemoryChanged(
                        user_id=event.body.user_id, memory_ids=event.body.memory_ids, fields=STRENGTHENED
                    ),
                )
            )
            for event in events
        ]


@dataclass(frozen=True, slots=True)
class Sessions:
    """Handles `session.ended`. Sessions are not summarised yet: the event is only taken off its queue."""

    async def __call__(self, tenant: str, events: Sequence[Envelope[SessionEnded]]) -> Sequence[Outcome]:  # noqa: ARG002
        """Accept the events."""
        return [Done()] * len(events)
