"""Conversion between rows of PostgreSQL and values of the domain."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import Emotion, EventTime, MemoryKind, MemoryType, Role
from ricordo.memory.model import KeyTopic, Memory, Source
from ricordo.memory.progress import Progress, Stage

Vector = NDArray[np.float32]
_DIRECT = [
    "id",
    "tenant",
    "user_id",
    "content",
    "created_at",
    "message_id",
    "title",
    "summary",
    "token_count",
    "language",
    "speaker",
    "timezone",
    "expires_at",
    "conversation_id",
    "location",
    "preceding_id",
    "following_id",
    "importance",
    "informative",
    "access_count",
    "last_accessed",
    "reinforcement",
    "decay_factor",
    "pinned",
    "trust",
    "confidence",
    "verified",
    "compressed",
    "archived_at",
    "stored_at",
]
_LISTS = [
    "participants",
    "topics",
    "related_ids",
    "source_ids",
    "questions_addressed",
    "tags",
]


def memory(row: asyncpg.Record) -> Memory:
    """Build the memory of a whole row of `memories`, with what was asked beside it where it has that.

    That is the ids of the messages behind it, and what it corrects and is corrected by.
    """
    fields: dict[str, Any] = {name: row[name] for name in _DIRECT}
    fields |= {name: tuple(row[name]) for name in _LISTS}
    fields["event_times"] = event_times(row["event_times"])
    fields["source_message_ids"] = tuple(reversed(row.get("source_message_ids") or ()))
    fields |= {name: tuple(row.get(name) or ()) for name in ("corrects", "corrected_by")}
    if row["local_date"] is not None:  # else the memory derives them: it is not enriched yet
        fields |= {
            "date": row["local_date"],
            "time_of_day": row["time_of_day"],
            "day_of_week": row["day_of_week"],
        }
    return Memory(
        **fields,
        type=MemoryType(row["type"]),
        kind=MemoryKind(row["kind"]),
        role=Role(row["role"]),
        source=Source(row["source"]),
        key_topics=tuple(KeyTopic(**topic) for topic in json.loads(row["key_topics"])),
        emotion=Emotion(
            valence=row["valence"],
            arousal=row["arousal"],
            dominance=row["dominance"],
            primary=row["primary_emotion"],
            keywords=tuple(row["emotional_keywords"]),
        ),
    )


def event_times(ranges: Iterable["asyncpg.Range[datetime]"]) -> tuple[EventTime, ...]:
    """Read stretches of time as they are stored."""
    return tuple(EventTime(one.lower, one.upper) for one in ranges if one.lower and one.upper)


def ranges(times: Iterable[EventTime]) -> list[str]:
    """Write stretches of time as they are stored: half-open."""
    return [f"[{one.start.isoformat()},{one.end.isoformat()})" for one in times]


def progress(row: asyncpg.Record) -> Progress:
    """Build the stage row of a message."""
    return Progress(
        memory_id=row["memory_id"],
        message_id=row["message_id"],
        user_id=row["user_id"],
        conversation_id=row["conversation_id"],
        **{stage.value: row[stage.value] for stage in Stage},
    )


def vector(raw: bytes | None) -> NDArray[np.float32] | None:
    """Read a stored vector: float32 [d], read-only."""
    return None if raw is None else np.frombuffer(raw, dtype="<f4")


def raw(values: NDArray[np.float32]) -> bytes:
    """Write a vector as it is stored: float32, little endian."""
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def recordset(rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows as the one JSON parameter that `jsonb_to_recordset` turns back into rows."""
    return json.dumps([dict(row) for row in rows], default=_scalar, ensure_ascii=False)


def _scalar(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"no JSON for {type(value).__name__}")


def in_order(
    found: Sequence[asyncpg.Record], ids: Sequence[UUID], key: str = "memory_id"
) -> list[asyncpg.Record]:
    """Sort rows as their ids were asked for."""
    by_id = {row[key]: row for row in found}
    return [by_id[one] for one in ids if one in by_id]
