"""Converts facts to properties of an edge, and back."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from ricordo.memory.facts import LONGEST_KEY, Fact, normalise

# Instants are text of one width in UTC, which sorts correctly, to the microsecond, on every server.
_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_INSTANTS: Final = ("first_seen", "last_reinforced", "valid_from", "valid_to")
_OPTIONAL: Final = ("valid_from", "valid_to", "message_ids")
_BEGINNING: Final = 100  # characters


def key(name: str) -> str:
    """Return the key of the entity of this name: its normalised name, or a digest of a long one."""
    normal = normalise(name)
    written = normal.encode()
    if len(written) <= LONGEST_KEY:  # Neo4j indexes no more than some 8,000 bytes, tenant and user included
        return normal
    return f"{normal[:_BEGINNING]}… {sha256(written).hexdigest()}"


def parameters(fact: Fact) -> dict[str, Any]:
    """Return the parameters that write `fact`: the keys of its entities, and the properties of the edge."""
    properties = {item.name: getattr(fact, item.name) for item in fields(fact)}
    properties |= {name: item and _text(item) for name in _INSTANTS for item in (properties[name],)}
    properties |= {"id": str(fact.id), "message_ids": list(fact.message_ids)}
    return {
        "subject_key": key(fact.subject),
        "object_key": key(fact.object),
        "properties": properties,
    }


def fact(row: Mapping[str, Any]) -> Fact:
    """Return the fact whose edge has the properties `row`."""
    values: dict[str, Any] = {
        item.name: row.get(item.name) if item.name in _OPTIONAL else row[item.name] for item in fields(Fact)
    }
    values |= {name: item and _instant(item) for name in _INSTANTS for item in (values[name],)}
    values |= {"id": UUID(row["id"]), "message_ids": tuple(row.get("message_ids") or ())}
    return Fact(**values)


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime(_FORMAT).rjust(27, "0")


def _instant(text: str) -> datetime:
    return datetime.strptime(text, _FORMAT).replace(tzinfo=UTC)
