"""A fact as properties of an edge, and back."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from ricordo.domain.facts import Fact, normalise

# Instants are kept as text of one width, in UTC: it sorts as they do, to the microsecond, on every server.
_INSTANT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def parameters(fact: Fact) -> dict[str, Any]:
    """Return what writes `fact`: the keys of its two ends, and the properties of the edge between them."""
    return {
        "subject_key": normalise(fact.subject),
        "object_key": normalise(fact.object),
        "properties": {
            "id": str(fact.id),
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "confidence": fact.confidence,
            "first_seen": _text(fact.first_seen),
            "last_reinforced": _text(fact.last_reinforced),
            "valid_from": None if fact.valid_from is None else _text(fact.valid_from),
            "valid_to": None if fact.valid_to is None else _text(fact.valid_to),
            "contradictions": fact.contradictions,
            "disputed": fact.disputed,
            "verified": fact.verified,
            "message_ids": list(fact.message_ids),
        },
    }


def fact(row: Mapping[str, Any]) -> Fact:
    """Return the fact whose edge has the properties `row`."""
    return Fact(
        id=UUID(row["id"]),
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        confidence=row["confidence"],
        first_seen=_instant(row["first_seen"]),
        last_reinforced=_instant(row["last_reinforced"]),
        valid_from=_maybe(row.get("valid_from")),
        valid_to=_maybe(row.get("valid_to")),
        contradictions=row["contradictions"],
        disputed=row["disputed"],
        verified=row["verified"],
        message_ids=tuple(row.get("message_ids") or ()),
    )


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime(_INSTANT).rjust(27, "0")


def _instant(text: str) -> datetime:
    return datetime.strptime(text, _INSTANT).replace(tzinfo=UTC)


def _maybe(text: str | None) -> datetime | None:
    return None if text is None else _instant(text)
