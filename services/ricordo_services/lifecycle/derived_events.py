"""Events of derived memories and of moves to the archive; ids are deterministic, so repeats are safe."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, MessageIds, Progress
from ricordo.messages.enumerations import ArchiveReason
from ricordo.messages.events import (
    DerivedEvent,
    MemoryArchived,
    MemoryChanged,
    MemoryCompressed,
    MemoryCreated,
    MemoryDecayed,
    MemoryReflected,
    SessionSummarized,
)
from ricordo.messages.ids import derived_id
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import ArchiveMove, LifecycleStore

_NAMED: Final = 1_000  # source ids in one event; `query.expand` returns all


def creation_events(memory: Memory, ids: MessageIds) -> tuple[DerivedEvent, ...]:
    """Return the events of a new derived memory: one that starts its processing, and one of its kind.

    Their ids are the same for each call.
    """
    created = MemoryCreated(**ids, id=derived_id(memory.id, MemoryCreated.name, 0))
    made = _made(memory)
    if made is None:
        return (created,)
    return created, made.model_copy(update={"id": derived_id(memory.id, made.name, 0)})


def derived_memory_events(memories: Iterable[Memory], written: Iterable[Progress]) -> list[DerivedEvent]:
    """Return the events of those of `memories` that were written."""
    known = {one.id: one for one in memories}
    return [event for one in written for event in creation_events(known[one.memory_id], one.ids)]


def removal_events(user_id: str, memory_ids: Sequence[UUID]) -> tuple[DerivedEvent, ...]:
    """Return the events of removed derived memories, so that their points are deleted."""
    return tuple(
        MemoryChanged(user_id=user_id, memory_ids=tuple(memory_ids[start : start + _NAMED]), fields=("id",))
        for start in range(0, len(memory_ids), _NAMED)
    )


def decayed(user_id: str, memory_ids: Sequence[UUID]) -> MemoryDecayed:
    """Return the event of what a pass of decay archived of a user."""
    return MemoryDecayed(user_id=user_id, memory_ids=tuple(memory_ids[:_NAMED]), archived=len(memory_ids))


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


_PER_EVENT: Final = 500  # memory ids in one event


def archived(memories: Sequence[tuple[UUID, str]], reason: ArchiveReason) -> list[DerivedEvent]:
    """Return the events of archived memories, each with its user."""
    return [
        MemoryArchived(user_id=user_id, memory_ids=ids, reason=reason) for user_id, ids in _by_user(memories)
    ]


def restored(memories: Sequence[tuple[UUID, str]]) -> list[DerivedEvent]:
    """Return the events of memories that were restored from the archive, each with its user."""
    return [
        MemoryChanged(user_id=user_id, memory_ids=ids, fields=("archived_at",))
        for user_id, ids in _by_user(memories)
    ]


async def republish(
    store: LifecycleStore, emitter: Emitter, tenant: str, moved: Sequence[ArchiveMove]
) -> None:
    """Publish moves again, then mark them as reported."""
    events = restored([(one.memory_id, one.user_id) for one in moved if one.reason is None])
    for reason in ArchiveReason:
        taken = [(one.memory_id, one.user_id) for one in moved if one.reason is reason]
        events += archived(taken, reason)
    await emitter.emit(tenant, events)
    await store.mark_reported(tenant, moved)


def _by_user(memories: Sequence[tuple[UUID, str]]) -> Iterator[tuple[str, tuple[UUID, ...]]]:
    """Yield the memories of each user, in batches of one event."""
    by_user: dict[str, list[UUID]] = {}
    for memory_id, user_id in memories:
        by_user.setdefault(user_id, []).append(memory_id)
    for user_id, ids in by_user.items():
        for start in range(0, len(ids), _PER_EVENT):
            yield user_id, tuple(ids[start : start + _PER_EVENT])
