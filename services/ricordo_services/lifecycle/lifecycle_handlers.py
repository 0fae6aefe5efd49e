"""Lifecycle's events: use strengthens, and the end of a session is noted."""

from collections.abc import Sequence
from dataclasses import dataclass

from ricordo.clock import Clock
from ricordo.messages.events import MemoryAccessed, MemoryChanged, SessionEnded
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.store.lifecycle_store import Access, LifecycleStore
from ricordo.store.session_store import SessionStore

STRENGTHENED = ("access_count", "last_accessed", "reinforcement", "importance", "decay_factor")


@dataclass(frozen=True, slots=True)
class Reinforce:
    """Handles `memory.accessed`: each event strengthens its memories exactly once."""

    life: LifecycleStore

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
class SessionEndHandler:
    """Handles `session.ended`: the end is noted, and the session summed up with the next look for those."""

    sessions: SessionStore
    clock: Clock

    async def __call__(self, tenant: str, events: Sequence[Envelope[SessionEnded]]) -> Sequence[Outcome]:
        """Note the ends; one outcome each."""
        now = self.clock.now()
        for event in events:
            body = event.body
            await self.sessions.end(tenant, body.user_id, body.conversation_id, body.timestamp, now)
        return [Done()] * len(events)
