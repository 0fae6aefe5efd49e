"""Writes, replaces and withdraws derived memories: those without a message."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.language.annotations import MemoryKind
from ricordo.memory.importance import after_uses
from ricordo.memory.model import Memory, Progress, Successor, inherit_use, is_held_by_user
from ricordo.store import rows
from ricordo.store.database import Connection, Database

_SQL: Final = Database.queries("derived_memories")
BY_LIFECYCLE: Final = "lifecycle"
"""The version of memories that lifecycle derives; enrichment and `backfill` leave them alone."""
_COLUMNS: Final = (
    *("id", "user_id", "conversation_id", "type", "kind", "title", "content", "summary", "language", "role"),
    *("speaker", "created_at", "timezone", "event_start", "event_end", "expires_at", "participants"),
    *("topics", "location", "access_count", "last_accessed", "reinforcement", "pinned", "trust"),
    *("questions_addressed", "source", "confidence", "verified", "tags", "refs"),
)


async def lock_users(connection: Connection, tenant: str, user_ids: Iterable[str]) -> None:
    """Lock messages and tombstones of these users until the end of the transaction."""
    await connection.execute(_SQL["lock_users"], tenant, sorted(set(user_ids)))


async def write(
    connection: Connection, tenant: str, memories: Sequence[Memory], at: datetime, *, finished: bool
) -> list[Progress]:
    """Write derived memories in the caller's transaction, which has locked their users (`lock_users`).

    Args:
        memories: with ids of `ricordo.memory.model.derived_id`. One without all of its sources, or covered by
            a tombstone, is left out; existing ones stay. Their access count adds to their importance.
        finished: whether emotion, importance, topics and people are final; else enrichment derives them.

    Returns:
        The stages of all that exist now, in the order of `memories`.
    """
    return await write_rows(connection, tenant, [_row(one, finished=finished) for one in memories], at)


async def write_rows(
    connection: Connection, tenant: str, offered: Sequence[Mapping[str, Any]], at: datetime
) -> list[Progress]:
    """Write derived memories as `write`, given as the rows that they are to have."""
    if not offered:
        return []
    ids = [row["id"] for row in offered]
    await connection.execute(_SQL["write"], tenant, rows.recordset(offered), at)
    await connection.execute(_SQL["begin_stages"], tenant, ids, at)
    found = await connection.fetch(_SQL["stages"], tenant, ids)
    return [rows.progress(row) for row in rows.in_order(found, ids)]


@dataclass(frozen=True, slots=True)
class SuccessionResult:
    """Stages of the written memories, ids of the replaced ones, and how many did not exist before."""

    written: list[Progress]
    withdrawn: list[UUID]
    created: int = 0


async def write_successors(
    connection: Connection, tenant: str, successors: Sequence[Successor], at: datetime
) -> SuccessionResult:
    """Write finished memories in place of others, in a transaction that has locked their users.

    Each inherits the use of the former ones. If the user holds on to one of these (`is_held_by_user`), they
    stay, and the successor is not written.
    """
    former = await _locked(connection, tenant, {one for each in successors for one in each.former})
    pairs = [(each, [former[one] for one in each.former if one in former]) for each in successors]
    free = [(each, before) for each, before in pairs if not any(map(is_held_by_user, before))]
    inherited = [inherit_use(each.memory, before) for each, before in free]
    written = await write(connection, tenant, inherited, at, finished=True)
    ids = {one.memory_id for one in written}
    replaced = [one for each, _ in free if each.memory.id in ids for one in each.former if one not in ids]
    return SuccessionResult(written, await withdraw(connection, tenant, replaced))


async def _locked(connection: Connection, tenant: str, memory_ids: Iterable[UUID]) -> dict[UUID, Memory]:
    found = await connection.fetch(_SQL["locked"], tenant, sorted(memory_ids))
    return {row["id"]: rows.memory(row) for row in found}


async def withdraw(connection: Connection, tenant: str, memory_ids: Sequence[UUID]) -> list[UUID]:
    """Delete replaced memories that the user did not verify or correct, and return their ids.

    The caller publishes their removal, and `LifecycleStore.unreported_moves` has it published again.
    """
    if not memory_ids:
        return []
    return [row["memory_id"] for row in await connection.fetch(_SQL["withdraw"], tenant, memory_ids)]


async def withdraw_derived(connection: Connection, tenant: str, memory: Memory) -> list[UUID]:
    """Withdraw memories derived from one whose text changes, and return their ids.

    The other sources of its synthesis become uncompressed. Rows are locked in the order of ids: call this
    before the transaction locks anything else.
    """
    derived = await connection.fetch(
        _SQL["derived"], tenant, memory.id, memory.user_id, memory.conversation_id, memory.created_at
    )
    ids = [row["id"] for row in derived]
    sources = {one for row in derived if row["kind"] == MemoryKind.SYNTHESIS for one in row["source_ids"]}
    locked = await _locked(connection, tenant, {*ids, *sources, memory.id})
    gone = await withdraw(connection, tenant, [one for one in ids if one in locked])
    syntheses = [locked[one] for one in gone if locked[one].kind is MemoryKind.SYNTHESIS]
    if freed := {source for one in syntheses for source in one.source_ids}:
        await connection.execute(_SQL["uncompress"], tenant, sorted(freed))
    return gone


def _row(memory: Memory, *, finished: bool) -> dict[str, Any]:
    importance, beyond = after_uses(memory.importance, memory.access_count)
    return {name: getattr(memory, name) for name in _COLUMNS} | {
        "importance": importance,
        "importance_beyond": beyond,
        "event_times": rows.ranges(memory.event_times),
        "source_ids": [str(one) for one in memory.source_ids],
        "key_topics": [asdict(one) for one in memory.key_topics],
        **rows.emotion_columns(memory.emotion),
        "derived_by": BY_LIFECYCLE if finished else "",
    }
