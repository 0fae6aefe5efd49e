"""Handles events of lifecycle: recalls reinforce memories, and ends of sessions are recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from ricordo.clock import Clock
from ricordo.messages.events import MemoryAccessed, MemoryChanged, SessionEnded
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.store.lifecycle_store import LifecycleStore, RecallUse
from ricordo.store.session_store import SessionStore

REINFORCED_FIELDS = ("access_count", "last_accessed", "reinforcement", "importance", "decay_factor")


@dataclass(frozen=True, slots=True)
class Reinforce:
    """Handles `memory.accessed`: each event reinforces its memories exactly once."""

    life: LifecycleStore

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryAccessed]]) -> Sequence[Outcome]:
        """Reinforce the recalled memories; one outcome each."""
        bodies = [event.body for event in events]
        uses = [
            RecallUse(one.user_id, memory_id, one.recall_id, one.at, accessed_at=one.at)
            for one in bodies
            for memory_id in one.memory_ids
        ]
        await self.life.reinforce(tenant, uses)
        changed = (
            MemoryChanged(user_id=one.user_id, memory_ids=one.memory_ids, fields=REINFORCED_FIELDS)
            for one in bodies
        )
        return [Done((event,)) for event in changed]


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
