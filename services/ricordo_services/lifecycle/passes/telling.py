"""How passes say what the archive took, and what it gave back."""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from ricordo.messages.events import DerivedEvent, MemoryArchived, MemoryChanged
from ricordo.messages.vocabulary import ArchiveReason
from ricordo.runtime.emitting import Emitter
from ricordo.store.lifecycle_store import ArchiveMove, LifecycleStore

_PER_EVENT: Final = 500  # memory ids in one event


def archived(memories: Sequence[tuple[UUID, str]], reason: ArchiveReason) -> list[DerivedEvent]:
    """Return the events that say that memories, each with its user, were archived."""
    return [
        MemoryArchived(user_id=user_id, memory_ids=ids, reason=reason) for user_id, ids in _by_user(memories)
    ]


def given_back(memories: Sequence[tuple[UUID, str]]) -> list[DerivedEvent]:
    """Return the events that say that memories, each with its user, are not archived any more."""
    return [
        MemoryChanged(user_id=user_id, memory_ids=ids, fields=("archived_at",))
        for user_id, ids in _by_user(memories)
    ]


async def tell_again(
    life: LifecycleStore, emitter: Emitter, tenant: str, moved: Sequence[ArchiveMove]
) -> None:
    """Say once more where memories have moved; then it is taken as said."""
    events = given_back([(one.memory_id, one.user_id) for one in moved if one.reason is None])
    for reason in ArchiveReason:
        taken = [(one.memory_id, one.user_id) for one in moved if one.reason is reason]
        events += archived(taken, reason)
    await emitter.emit(tenant, events)
    await life.told(tenant, moved)


def _by_user(memories: Sequence[tuple[UUID, str]]) -> Iterator[tuple[str, tuple[UUID, ...]]]:
    """Yield each user's memories, as many at once as one event names."""
    by_user: dict[str, list[UUID]] = {}
    for memory_id, user_id in memories:
        by_user.setdefault(user_id, []).append(memory_id)
    for user_id, ids in by_user.items():
        for start in range(0, len(ids), _PER_EVENT):
            yield user_id, tuple(ids[start : start + _PER_EVENT])
