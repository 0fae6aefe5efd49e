"""Conversion between rows of PostgreSQL and memories, vectors, evidence, facts and entities."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, ClassVar, Final, Protocol, TypeVar
from uuid import UUID

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from ricordo.language.annotations import Emotion, EventTime, MemoryKind, MemorySource, MemoryType, Role
from ricordo.language.facts.entity_names import Entity, normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.language.reading import Reading
from ricordo.memory.facts.clusters import object_tie
from ricordo.memory.facts.entity_resolution import other_names, with_names
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance
from ricordo.memory.model import KeyTopic, Memory, Progress

Vector = NDArray[np.float32]
_READING: Final = TypeAdapter(Reading)


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=_Dataclass)


def build(of: type[T], row: Mapping[str, Any] | asyncpg.Record, **converted: object) -> T:
    """Build a dataclass from the columns that are called like its fields; arrays become tuples.

    Args:
        converted: the fields that have no such column, or are of another type.

    Raises:
        KeyError: a field has neither.
    """
    values = {
        name: tuple(value) if isinstance(value := row[name], list) else value
        for name in of.__dataclass_fields__
        if name not in converted
    }
    return of(**values, **converted)


def columns(one: _Dataclass, *without: str) -> dict[str, Any]:
    """Return the fields of a dataclass as columns of the same names."""
    return {name: getattr(one, name) for name in one.__dataclass_fields__ if name not in without}


def memory(row: asyncpg.Record) -> Memory:
    """Build the memory of a whole row of `memories`.

    A query may add the ids of its source messages, and what it corrects and is corrected by.
    """
    return build(
        Memory,
        row,
        type=MemoryType(row["type"]),
        kind=MemoryKind(row["kind"]),
        role=Role(row["role"]),
        source=MemorySource(row["source"]),
        date=row["local_date"] or date.min,  # a memory that is not enriched yet derives it
        event_times=event_times(row["event_times"]),
        source_message_ids=tuple(reversed(row.get("source_message_ids") or ())),
        corrects=tuple(row.get("corrects") or ()),
        corrected_by=tuple(row.get("corrected_by") or ()),
        key_topics=tuple(KeyTopic(**topic) for topic in json.loads(row["key_topics"])),
        emotion=build(
            Emotion,
            row,
            primary=row["primary_emotion"],
            keywords=tuple(row["emotional_keywords"]),
            trigger=row["emotional_trigger"],
        ),
    )


def emotion_columns(emotion: Emotion) -> dict[str, Any]:
    """Return the columns of a memory that hold an emotion."""
    return columns(emotion, "primary", "keywords", "trigger") | {
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
    return build(Progress, row)


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
    return build(Evidence, row, at=row["sent_at"], subject_as="", object_as="")


def resolved_evidence_of(row: asyncpg.Record) -> Evidence:
    """Return the evidence of a row with canonical names."""
    return with_names(evidence_of(row), row["subject_name"], row["object_name"])


def evidence_row(evidence: Evidence, user_id: str, ordinal: int) -> dict[str, Any]:
    """Return the row of evidence at `ordinal` within its message.

    The keys are those of the words; entity resolution replaces them.
    """
    return columns(evidence, "at", "subject_as", "object_as") | {
        "user_id": user_id,
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
    return None if value is None else _READING.validate_json(value)


def utterance_of(row: asyncpg.Record, corrects: Utterance | None) -> Utterance:
    """Return a message as fact extraction reads it, with the message that it corrects."""
    return build(
        Utterance,
        row,
        said_at=row["created_at"],
        corrects=corrects,
        reading=reading(row["reading"]),
        previous=row["previous"] or "",
        previous_reading=reading(row["previous_reading"]),
    )


def fact_of(row: asyncpg.Record) -> Fact:
    """Return the fact of a row."""
    return build(Fact, row)


def fact_row(fact: Fact, user_id: str) -> dict[str, Any]:
    """Return the row of a fact."""
    keys = {"user_id": user_id, "subject_key": normalise(fact.subject), "object_key": normalise(fact.object)}
    return columns(fact) | keys


def entity_of(row: Mapping[str, Any] | asyncpg.Record) -> Entity:
    """Return the entity of a row."""
    return build(Entity, row)


def entity_row(entity: Entity, user_id: str, *, is_being: bool) -> dict[str, Any]:
    """Return the row of an entity, with all names that find it."""
    names = sorted(other_names(entity, is_being=is_being))
    return columns(entity) | {"user_id": user_id, "names": names}
