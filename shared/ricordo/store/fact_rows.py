"""Conversion between rows of PostgreSQL and evidence, facts and entities."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import asyncpg

from ricordo.memory.facts import PREDICATES, Entity, EntityResolver, Evidence, Fact, normalise, object_tie
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance

_FACT: Final = (
    "id",
    "subject",
    "predicate",
    "object",
    "confidence",
    "first_seen",
    "last_reinforced",
    "valid_from",
    "valid_to",
    "contradictions",
    "disputed",
    "verified",
    "message_ids",
)


def evidence_of(row: asyncpg.Record) -> Evidence:
    """Return the evidence of a row, in the words that were said."""
    return Evidence(
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        message_id=row["message_id"],
        at=row["sent_at"],
        polarity=row["polarity"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        kind=row["kind"],
        position=row["position"],
        subject_tie=row["subject_tie"],
        object_tie=row["object_tie"],
    )


def evidence_row(evidence: Evidence, ordinal: int) -> dict[str, Any]:
    """Return what is kept of evidence that stands at `ordinal` among all of its message.

    The keys are those of the words: who is meant is found once it is kept.
    """
    return {
        "message_id": evidence.message_id,
        "ordinal": ordinal,
        "sent_at": evidence.at,
        "subject": evidence.subject,
        "subject_key": normalise(evidence.subject),
        "predicate": evidence.predicate,
        "object": evidence.object,
        "object_key": normalise(evidence.object),
        "polarity": evidence.polarity,
        "kind": evidence.kind,
        "position": evidence.position,
        "valid_from": evidence.valid_from,
        "valid_to": evidence.valid_to,
        "subject_tie": evidence.subject_tie,
        "object_tie": object_tie(evidence),
    }


def fact_of(row: asyncpg.Record) -> Fact:
    """Return the fact of a row."""
    fields = {name: row[name] for name in _FACT}
    return Fact(**fields | {"message_ids": tuple(row["message_ids"])})


def fact_row(fact: Fact) -> dict[str, Any]:
    """Return what is kept of a fact."""
    fields = {name: getattr(fact, name) for name in _FACT}
    return fields | {"subject_key": normalise(fact.subject), "object_key": normalise(fact.object)}


def entity_of(row: asyncpg.Record) -> Entity:
    """Return the entity of a row."""
    return Entity(row["key"], row["name"], tuple(row["aliases"]), row["mentions"])


def entity_row(entity: Entity, identities: EntityResolver) -> dict[str, Any]:
    """Return what is kept of an entity, with all the names that find it."""
    return {
        "key": entity.key,
        "name": entity.name,
        "aliases": entity.aliases,
        "mentions": entity.mentions,
        "names": sorted(identities.other_names(entity)),
    }


def utterance_of(row: asyncpg.Record, corrects: Utterance | None) -> Utterance:
    """Build a message as fact extraction reads it, with the message that it corrects."""
    return Utterance(
        memory_id=row["memory_id"],
        message_id=row["message_id"],
        user_id=row["user_id"],
        role=row["role"],
        speaker=row["speaker"],
        language=row["language"],
        content=row["content"],
        said_at=row["created_at"],
        timezone=row["timezone"],
        corrects=corrects,
    )


def evidence_rows(told: ExtractedEvidence) -> list[dict[str, Any]]:
    """Write the evidence as rows; nothing outside of the vocabulary is ever stored."""
    beside = {"memory_id": told.memory_id, "user_id": told.user_id, "message_id": told.message_id}
    return [
        evidence_row(row, ordinal) | beside | {"quote": quote}
        for ordinal, (row, quote) in enumerate(zip(told.evidence, told.quotes, strict=True))
        if row.predicate in PREDICATES
    ]


def extracted_evidence(memory_id: UUID, kept: Sequence[asyncpg.Record]) -> ExtractedEvidence:
    """Read back what `evidence_rows` has written of a message, be it nothing."""
    stated = [row for row in kept if row["predicate"] is not None]
    return ExtractedEvidence(
        memory_id=memory_id,
        message_id=kept[0]["message_id"],
        user_id=kept[0]["user_id"],
        said_at=kept[0]["told_at"],
        quotes=tuple(row["quote"] for row in stated),
        evidence=tuple(map(evidence_of, stated)),
    )
