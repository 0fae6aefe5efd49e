"""Memories that no message is behind: how they are written, succeeded and withdrawn."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, Successor, inherit_use, is_held_by_user
from ricordo.memory.progress import Progress
from ricordo.memory.reinforcement import after_uses
from ricordo.store import rows
from ricordo.store.database import Connection, Database

_SQL: Final = Database.queries("derived_memories")
_BY_LIFECYCLE: Final = "lifecycle"
"""The version of what lifecycle has derived: enrichment leaves it alone, and `backfill` too."""
_DIRECT: Final = (
    "id",
    "user_id",
    "conversation_id",
    "type",
    "kind",
    "title",
    "content",
    "summary",
    "language",
    "role",
    "speaker",
    "created_at",
    "timezone",
    "event_start",
    "event_end",
    "expires_at",
    "participants",
    "topics",
    "location",
    "access_count",
    "last_accessed",
    "reinforcement",
    "pinned",
    "trust",
    "questions_addressed",
    "source",
    "confidence",
    "verified",
    "tags",
)


async def lock_users(connection: Connection, tenant: str, user_ids: Iterable[str]) -> None:
    """Lock messages and tombstones of these users until the end of the transaction."""
    await connection.execute(_SQL["hold"], tenant, sorted(set(user_ids)))


async def write(
    connection: Connection, tenant: str, memories: Sequence[Memory], at: datetime, *, finished: bool
) -> list[Progress]:
    """Write derived memories as part of the caller's transaction, which holds their users (`lock_users`).

    Args:
        connection: in a transaction of `tenant`.
        tenant: whose they are.
        memories: without a message, their ids of `ricordo.memory.model.derived_id`. One whose sources are
            not all there, and the same user's, or before which a tombstone stands, is left out; one that is
            there already stays. Their importance is that of what they say; what their access count adds comes
            on top.
        at: when they are stored, aware.
        finished: whether feeling, importance, topics and people are as they shall be; else enrichment derives
            them from the text, as of any message.

    Returns:
        The stages of all that are there now, in the order of `memories`.
    """
    if not memories:
        return []
    ids = [one.id for one in memories]
    offered = rows.recordset(_row(one, finished=finished) for one in memories)
    await connection.execute(_SQL["write"], tenant, offered, at)
    await connection.execute(_SQL["begin_stages"], tenant, ids, at)
    found = await connection.fetch(_SQL["stages"], tenant, ids)
    return [rows.progress(row) for row in rows.in_order(found, ids)]


@dataclass(frozen=True, slots=True)
class SuccessionResult:
    """Result of writing successors.

    Attributes:
        written: the stages of those that are there now.
        withdrawn: those whose place they have taken.
    """

    written: list[Progress]
    withdrawn: list[UUID]


async def write_successors(
    connection: Connection, tenant: str, successors: Sequence[Successor], at: datetime
) -> SuccessionResult:
    """Write finished memories in the place of others, as part of a transaction which holds their users.

    Each takes over what use has made of the former ones by now. Where the user holds on to one of these, its
    successor is not written, nor where `write` leaves it out; then the former ones stay.
    """
    former = await _locked(connection, tenant, {one for each in successors for one in each.former})
    given = [(each, [former[one] for one in each.former if one in former]) for each in successors]
    free = [(each, before) for each, before in given if not any(map(is_held_by_user, before))]
    inherited = [inherit_use(each.memory, before) for each, before in free]
    written = await write(connection, tenant, inherited, at, finished=True)
    there = {one.memory_id for one in written}
    taken = [one for each, _ in free if each.memory.id in there for one in each.former if one not in there]
    return SuccessionResult(written, await withdraw(connection, tenant, taken))


async def _locked(connection: Connection, tenant: str, memory_ids: Iterable[UUID]) -> dict[UUID, Memory]:
    """Return memories as they stand; whoever uses, pins, verifies or corrects one waits."""
    found = await connection.fetch(_SQL["locked"], tenant, sorted(memory_ids))
    return {row["id"]: rows.memory(row) for row in found}


async def withdraw(connection: Connection, tenant: str, memory_ids: Sequence[UUID]) -> list[UUID]:
    """Take derived memories away whose place others take; return those that the user did not hold on to.

    Their points have to follow: the caller tells of it, and `LifecycleStore.unreported_moves` once more.
    """
    if not memory_ids:
        return []
    return [row["memory_id"] for row in await connection.fetch(_SQL["withdraw"], tenant, memory_ids)]


async def withdraw_derived(connection: Connection, tenant: str, memory: Memory) -> list[UUID]:
    """Take away what was made of a memory that does not say any more what it said; return what that was.

    The other sources of its synthesis are as if they had never been condensed. What the user has put right or
    verified stays. Everything is locked in the order of ids, the memory too: to be called before the
    transaction locks anything else.
    """
    resting = await connection.fetch(
        _SQL["resting"], tenant, memory.id, memory.user_id, memory.conversation_id, memory.created_at
    )
    made = [row["id"] for row in resting]
    condensed = [row["source_ids"] for row in resting if row["kind"] == MemoryKind.SYNTHESIS]
    sources = [one for some in condensed for one in some]
    standing = await _locked(connection, tenant, {*made, *sources, memory.id})
    gone = await withdraw(connection, tenant, [one for one in made if one in standing])
    freed = {
        source
        for one in gone
        if standing[one].kind is MemoryKind.SYNTHESIS
        for source in standing[one].source_ids
    }
    if freed:
        await connection.execute(_SQL["free"], tenant, sorted(freed))
    return gone


def _row(memory: Memory, *, finished: bool) -> dict[str, Any]:
    emotion = memory.emotion
    importance, beyond = after_uses(memory.importance, memory.access_count)
    return {name: getattr(memory, name) for name in _DIRECT} | {
        "importance": importance,
        "importance_beyond": beyond,
        "event_times": rows.ranges(memory.event_times),
        "source_ids": [str(one) for one in memory.source_ids],
        "key_topics": [asdict(one) for one in memory.key_topics],
        "valence": emotion.valence,
        "arousal": emotion.arousal,
        "dominance": emotion.dominance,
        "primary_emotion": emotion.primary,
        "emotional_keywords": emotion.keywords,
        "derived_by": _BY_LIFECYCLE if finished else "",
    }
