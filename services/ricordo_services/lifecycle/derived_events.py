"""Events of derived memories and of moves to the archive."""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, MessageIds, Progress
from ricordo.messages.enumerations import ArchiveReason
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import (
    MemoryArchived,
    MemoryChanged,
    MemoryCompressed,
    MemoryCreated,
    MemoryReflected,
    SessionSummarized,
)
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import ArchiveMove, LifecycleStore

_NAMED: Final = 1_000  # source ids in one event; `query.expand` returns all


def creation_events(memory: Memory, ids: MessageIds) -> tuple[DerivedEvent, ...]:
    """Return the events of a new derived memory: one that starts its processing, and one of its kind."""
    made = _made(memory)
    created = MemoryCreated(**ids)
    return (created,) if made is None else (created, made)


def derived_memory_events(memories: Iterable[Memory], written: Iterable[Progress]) -> list[DerivedEvent]:
    """Return the events of those of `memories` that were written."""
    known = {one.id: one for one in memories}
    return [event for one in written for event in creation_events(known[one.memory_id], one.ids)]


def removal_events(user_id: str, memory_ids: Iterable[UUID]) -> tuple[DerivedEvent, ...]:
    """Return the events of removed derived memories, so that their points are deleted."""
    return tuple(MemoryChanged(user_id=user_id, memory_id=one, fields=("id",)) for one in memory_ids)


def _made(memory: Memory) -> DerivedEvent | None:
    user_id, sources = memory.user_id, memory.source_ids[:_NAMED]
    if memory.kind == MemoryKind.SUMMARY:
        return SessionSummarized(
            user_id=user_id,
            conversation_id=memory.conversation_id,
            memory_id=memory.id,
            messages=len(memory.source_ids),
            source_ids=sources,
            start=memory.event_start or memory.created_at,
            end=memory.event_end or memory.created_at,
        )
    if memory.kind == MemoryKind.SYNTHESIS:
        return MemoryCompressed(user_id=user_id, memory_id=memory.id, memory_ids=sources)
    if memory.kind == MemoryKind.REFLECTION:
        return MemoryReflected(user_id=user_id, memory_id=memory.id, source_ids=sources)
    return None


def archived(memories: Iterable[tuple[UUID, str]], reason: ArchiveReason) -> list[DerivedEvent]:
    """Return the events of archived memories, each with its user."""
    return [
        MemoryArchived(user_id=user_id, memory_id=memory_id, reason=reason) for memory_id, user_id in memories
    ]


async def republish(
    store: LifecycleStore, emitter: Emitter, tenant: str, moved: Sequence[ArchiveMove]
) -> None:
    """Publish moves again, then mark them as reported."""
    events: list[DerivedEvent] = [
        MemoryChanged(user_id=one.user_id, memory_id=one.memory_id, fields=("archived_at",))
        if one.reason is None
        else MemoryArchived(user_id=one.user_id, memory_id=one.memory_id, reason=one.reason)
        for one in moved
    ]
    await emitter.emit(tenant, events)
    await store.mark_reported(tenant, moved)
