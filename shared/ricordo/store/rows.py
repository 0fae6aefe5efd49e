"""Conversion between rows of PostgreSQL and memories, vectors, evidence, facts and entities."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import Emotion, EventTime, MemoryKind, MemorySource, MemoryType, Role
from ricordo.language.facts.entity_names import Entity, normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.language.reading import Reading
from ricordo.memory.facts.clusters import object_tie
from ricordo.memory.facts.entity_resolution import other_names, with_names
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance
from ricordo.memory.model import KeyTopic, Memory, Progress, Stage

Vector = NDArray[np.float32]

_LISTS: Final = frozenset({"participants", "topics", "source_ids", "questions_addressed", "tags", "refs"})
_JOINED: Final = ("corrects", "corrected_by")
_CONVERTED: Final = _LISTS | {
    *("date", "time_of_day", "day_of_week", "event_times", "type", "kind", "role", "source"),
    *("key_topics", "emotion", "source_message_ids", "embedding_model", *_JOINED),
}
_MEMORY: Final = tuple(one.name for one in fields(Memory) if one.name not in _CONVERTED)
_FACT: Final = tuple(one.name for one in fields(Fact))
_EVIDENCE: Final = (
    *("subject", "predicate", "object", "polarity", "kind", "position"),
    *("valid_from", "valid_to", "subject_tie", "object_tie"),
)
_UTTERANCE: Final = (
    *("memory_id", "message_id", "user_id", "role", "speaker", "language", "content", "timezone"),
)


def memory(row: asyncpg.Record) -> Memory:
    """Build the memory of a whole row of `memories`.

    A query may add the ids of its source messages, and what it corrects and is corrected by.
    """
    values: dict[str, Any] = {name: row[name] for name in _MEMORY}
    values |= {name: tuple(row[name]) for name in _LISTS}
    values["event_times"] = event_times(row["event_times"])
    values["source_message_ids"] = tuple(reversed(row.get("source_message_ids") or ()))
    values |= {name: tuple(row.get(name) or ()) for name in _JOINED}
    if row["local_date"] is not None:  # else the memory derives them: it is not enriched yet
        values |= {name: row[name] for name in ("time_of_day", "day_of_week")} | {"date": row["local_date"]}
    return Memory(
        **values,
        type=MemoryType(row["type"]),
        kind=MemoryKind(row["kind"]),
        role=Role(row["role"]),
        source=MemorySource(row["source"]),
        key_topics=tuple(KeyTopic(**topic) for topic in json.loads(row["key_topics"])),
        emotion=Emotion(
            valence=row["valence"],
            arousal=row["arousal"],
            dominance=row["dominance"],
            primary=row["primary_emotion"],
            keywords=tuple(row["emotional_keywords"]),
            trigger=row["emotional_trigger"],
        ),
    )


def emotion_columns(emotion: Emotion) -> dict[str, Any]:
    """Return the columns of a memory that hold an emotion."""
    return {
        "valence": emotion.valence,
        "arousal": emotion.arousal,
        "dominance": emotion.dominance,
        "primary_emotion": emotion.primary,
        "emotional_keywords": emotion.keywords,
        "emotional_trigger": emotion.trigger,
    }


def event_times(ranges: Iterable["asyncpg.Range[datetime]"]) -> tuple[EventTime, ...]:
    """Return the event times of stored ranges."""
    return tuple(EventTime(one.lower, one.upper) for one in ranges if one.lower and one.upper)


def ranges(times: Iterable[EventTime]) -> list[str]:
    """Return event times as stored ranges, half-open."""
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
    """Return a stored vector: float32 [d], read-only."""
    return None if raw is None else np.frombuffer(raw, dtype="<f4")


def raw(values: NDArray[np.float32] | None) -> bytes | None:
    """Return a vector as it is stored: float32, little endian."""
    return None if values is None else np.ascontiguousarray(values, dtype="<f4").tobytes()


def recordset(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as one JSON parameter, which `jsonb_to_recordset` turns back into rows."""
    return json.dumps([dict(row) for row in rows], default=_scalar, ensure_ascii=False)


def _scalar(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"no JSON for {type(value).__name__}")


def in_order(found: Sequence[asyncpg.Record], ids: Sequence[UUID]) -> list[asyncpg.Record]:
    """Return rows in the order of `ids`; those without a row are left out."""
    by_id = {row["memory_id"]: row for row in found}
    return [by_id[one] for one in ids if one in by_id]


def evidence_of(row: asyncpg.Record) -> Evidence:
    """Return the evidence of a row, with names as they were written."""
    values = {name: row[name] for name in _EVIDENCE}
    return Evidence(**values, message_id=row["message_id"], at=row["sent_at"])


def resolved_evidence_of(row: asyncpg.Record) -> Evidence | None:
    """Return the evidence of a row with canonical names; None if it speaks of a person that nobody knows."""
    return with_names(evidence_of(row), row["subject_name"], row["object_name"])


def evidence_row(evidence: Evidence, user_id: str, ordinal: int) -> dict[str, Any]:
    """Return the row of evidence at `ordinal` within its message.

    The keys are those of the words; entity resolution replaces them.
    """
    return {name: getattr(evidence, name) for name in _EVIDENCE} | {
        "user_id": user_id,
        "message_id": evidence.message_id,
        "ordinal": ordinal,
        "sent_at": evidence.at,
        "subject_key": normalise(evidence.subject),
        "object_key": normalise(evidence.object),
        "object_tie": object_tie(evidence),
    }


def evidence_rows(extracted: ExtractedEvidence) -> list[dict[str, Any]]:
    """Return the rows of a message's evidence, without predicates outside of the vocabulary."""
    keys = {"memory_id": extracted.memory_id, "message_id": extracted.message_id}
    return [
        evidence_row(row, extracted.user_id, ordinal) | keys | {"quote": quote}
        for ordinal, (row, quote) in enumerate(zip(extracted.evidence, extracted.quotes, strict=True))
        if row.predicate in PREDICATES
    ]


def extracted_evidence(memory_id: UUID, stored: Sequence[asyncpg.Record]) -> ExtractedEvidence:
    """Return the evidence of a message from its rows; one row without a predicate stands for none."""
    stated = [row for row in stored if row["predicate"] is not None]
    return ExtractedEvidence(
        memory_id=memory_id,
        message_id=stored[0]["message_id"],
        user_id=stored[0]["user_id"],
        said_at=stored[0]["message_sent_at"],
        quotes=tuple(row["quote"] for row in stated),
        evidence=tuple(map(evidence_of, stated)),
    )


def reading(value: str | None) -> Reading | None:
    """Return a stored reading."""
    return None if value is None else Reading.of_json(json.loads(value))


def utterance_of(row: asyncpg.Record, corrects: Utterance | None) -> Utterance:
    """Return a message as fact extraction reads it, with the message that it corrects."""
    return Utterance(
        **{name: row[name] for name in _UTTERANCE},
        said_at=row["created_at"],
        corrects=corrects,
        reading=reading(row["reading"]),
        previous=row["previous"] or "",
        previous_reading=reading(row["previous_reading"]),
    )


def fact_of(row: asyncpg.Record) -> Fact:
    """Return the fact of a row."""
    return Fact(**{name: row[name] for name in _FACT} | {"message_ids": tuple(row["message_ids"])})


def fact_row(fact: Fact, user_id: str) -> dict[str, Any]:
    """Return the row of a fact."""
    keys = {"user_id": user_id, "subject_key": normalise(fact.subject), "object_key": normalise(fact.object)}
    return {name: getattr(fact, name) for name in _FACT} | keys


def entity_of(row: Mapping[str, Any] | asyncpg.Record) -> Entity:
    """Return the entity of a row."""
    return Entity(row["key"], row["name"], tuple(row["aliases"]), row["mentions"])


def entity_row(entity: Entity, user_id: str, *, is_being: bool) -> dict[str, Any]:
    """Return the row of an entity, with all names that find it."""
    values = {name: getattr(entity, name) for name in ("key", "name", "aliases", "mentions")}
    return values | {"user_id": user_id, "names": sorted(other_names(entity, is_being=is_being))}
