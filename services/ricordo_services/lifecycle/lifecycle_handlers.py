"""Handles events of lifecycle: recalls reinforce memories, and ends of sessions are recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from ricordo.clock import Clock
from ricordo.messages.events import MemoryAccessed, MemoryChanged, SessionEnded
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.store.lifecycle_store import Access, LifecycleStore
from ricordo.store.session_store import SessionStore

REINFORCED_FIELDS = ("access_count", "last_accessed", "reinforcement", "importance", "decay_factor")


@dataclass(frozen=True, slots=True)
class Reinforce:
    """Handles `memory.accessed`: each event reinforces its memories exactly once."""

    life: LifecycleStore

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryAccessed]]) -> Sequence[Outcome]:
        """Reinforce the recalled memories; one outcome each."""
        accesses = [
            Access(event.body.recall_id, event.body.user_id, event.body.memory_ids, event.body.at)
            for event in events
        ]
        await self.life.reinforce(tenant, accesses)
        return [
            Done(
                (
                    MemoryChanged(
                        user_id=event.body.user_id, memory_ids=event.body.memory_ids, fields=REINFORCED_FIELDS
                    ),
                )
            )
            for event in events
        ]


@dataclass(frozen=True, slots=True)
class SessionEndHandler:
    """Handles `session.ended`: records the end; the next pass summarises the session."""

    sessions: SessionStore
    clock: Clock

    async def __call__(self, tenant: str, events: Sequence[Envelope[SessionEnded]]) -> Sequence[Outcome]:
        """Record the ends; one outcome each."""
        now = self.clock.now()
        for event in events:
            body = event.body
            await self.sessions.end(tenant, body.user_id, body.conversation_id, body.timestamp, now)
        return [Done()] * len(events)
