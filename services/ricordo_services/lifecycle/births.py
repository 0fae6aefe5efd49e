"""What is told of a memory that lifecycle has made: by whoever made it, and once more where that was lost."""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory
from ricordo.memory.progress import MessageIds, Progress
from ricordo.messages.events import (
    DerivedEvent,
    MemoryChanged,
    MemoryCompressed,
    MemoryCreated,
    MemoryReflected,
    SessionSummarized,
)
from ricordo.messages.ids import derived_id

_NAMED: Final = 1_000  # sources that an event has room for; `query.expand` shows all


def birth(memory: Memory, ids: MessageIds) -> tuple[DerivedEvent, ...]:
    """Return what a memory without a message sets on its way, and what is new about the user.

    However often it is told, each event has the same id.

    Args:
        memory: as it was made.
        ids: by what names it is known.
    """
    created = MemoryCreated(**ids, id=derived_id(memory.id, MemoryCreated.name, 0))
    made = _made(memory)
    if made is None:
        return (created,)
    return created, made.model_copy(update={"id": derived_id(memory.id, made.name, 0)})


def births(memories: Iterable[Memory], written: Iterable[Progress]) -> list[DerivedEvent]:
    """Return what is told of those of `memories` that were written."""
    known = {one.id: one for one in memories}
    return [event for one in written for event in birth(known[one.memory_id], one.ids)]


def departures(user_id: str, memory_ids: Sequence[UUID]) -> tuple[DerivedEvent, ...]:
    """Return what is told of memories without a message that are no more: their points have to go."""
    return tuple(
        MemoryChanged(user_id=user_id, memory_ids=tuple(memory_ids[start : start + _NAMED]), fields=("id",))
        for start in range(0, len(memory_ids), _NAMED)
    )


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
