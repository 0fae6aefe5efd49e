"""Writing memories that no message is behind: the statements that all who derive one share."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Connection, Database
from ricordo.domain.memory import Memory
from ricordo.ports.stages import Progress

_SQL: Final = Database.queries("derived")
_BY_LIFECYCLE: Final = "lifecycle"
"""The version of what lifecycle has derived: enrichment leaves it alone, and `backfill` too."""


async def hold(connection: Connection, tenant: str, user_ids: Iterable[str]) -> None:
    """Keep what is said and forgotten of these users as it is, until the end of the transaction."""
    await connection.execute(_SQL["hold"], tenant, sorted(set(user_ids)))


async def write(
    connection: Connection, tenant: str, memories: Sequence[Memory], at: datetime, *, finished: bool
) -> list[Progress]:
    """Write derived memories as part of the caller's transaction, which holds their users (`hold`).

    Args:
        connection: in a transaction of `tenant`.
        tenant: whose they are.
        memories: without a message, their ids of `ricordo.domain.memory.derived_id`. One whose sources are
            not all there, or before which a tombstone stands, is left out; one that is there already stays.
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


async def withdraw(connection: Connection, tenant: str, memory_ids: Sequence[UUID]) -> None:
    """Take derived memories away whose place others take; their points follow by `Life.moved`."""
    if memory_ids:
        await connection.execute(_SQL["withdraw"], tenant, memory_ids)


async def unmake(connection: Connection, tenant: str, memory_ids: Sequence[UUID]) -> None:
    """Take away the syntheses of memories that do not say any more what they said.

    Their other sources are as if they had never been condensed. What the user has put right or verified
    stays. To be called before anything else of the transaction is locked, as it locks the sources in the
    order of their ids.
    """
    resting = [row["id"] for row in await connection.fetch(_SQL["resting"], tenant, memory_ids)]
    found = await connection.fetch(_SQL["unheld"], tenant, resting)
    sources = sorted({one for row in found for one in row["source_ids"]})
    if sources:
        await connection.execute(_SQL["free"], tenant, sources)
        await withdraw(connection, tenant, [row["id"] for row in found])


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
    "importance",
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


def _row(memory: Memory, *, finished: bool) -> dict[str, Any]:
    emotion = memory.emotion
    return {name: getattr(memory, name) for name in _DIRECT} | {
        "source_ids": [str(one) for one in memory.source_ids],
        "key_topics": [asdict(one) for one in memory.key_topics],
        "valence": emotion.valence,
        "arousal": emotion.arousal,
        "dominance": emotion.dominance,
        "primary_emotion": emotion.primary,
        "emotional_keywords": emotion.keywords,
        "derived_by": _BY_LIFECYCLE if finished else "",
    }
