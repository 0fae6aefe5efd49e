"""Reads all that is stored of a user, part by part."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

import asyncpg

from ricordo.language.temporal.moments import find_zone
from ricordo.messages.message_types import Reference, format_instant, format_local_instant
from ricordo.store.database import Database, Store

_SQL: Final = Database.queries("exports")
ExportKey = tuple[str, ...]
"""Position of an item within its part, as texts; the empty one is before all."""
Body = Callable[[asyncpg.Record], dict[str, object]]
_STATED: Final = ("participants", "location", "kind", "importance", "tags", "expires_at", "trust")
_OPTIONAL: Final = ("speaker", "timezone", "language", *_STATED)


class InvalidExportKey(ValueError):
    """The key does not belong to the part."""


@dataclass(frozen=True, slots=True)
class ExportedItem:
    """An item of an export, and the key and size of its object, if it has one."""

    key: ExportKey
    item: Mapping[str, object]
    object_key: str | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class _ExportPart:
    """How the rows of a part become items.

    Attributes:
        key: the sort columns.
        documents: columns with JSON.
    """

    item: str
    key: tuple[str, ...]
    hidden: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    body: Body | None = None

    def to_item(self, user_id: str, row: asyncpg.Record) -> ExportedItem:
        """Return the item of a row."""
        key = tuple(_text(row[name]) for name in self.key)
        plain = self.body(row) if self.body else self._plain(row)
        item = {"item": self.item, "user_id": user_id, **plain}
        if self.item == "document":
            return ExportedItem(key, item, row["key"], row["size"])
        return ExportedItem(key, item)

    def _plain(self, row: asyncpg.Record) -> dict[str, object]:
        return {
            name: json.loads(value) if name in self.documents and value is not None else _json(value)
            for name, value in row.items()
            if name not in self.hidden
        }


def _text(value: object) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)


def _json(value: object) -> object:
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, asyncpg.Range):
        return {"start": _json(value.lower), "end": _json(value.upper)}
    if isinstance(value, date | UUID):
        return str(value)
    if isinstance(value, list):
        return [_json(one) for one in value]
    return value


def _message(row: asyncpg.Record) -> dict[str, object]:
    """Return a message as it can be published again, with its statements."""
    message: dict[str, object] = {
        "id": row["message_id"],
        "conversation_id": row["conversation_id"],
        "role": row["role"],
        "content": row["content"],
        "timestamp": format_local_instant(row["sent_at"].astimezone(find_zone(row["utc_offset"] or "UTC"))),
    }
    message |= {name: _json(row[name]) for name in _OPTIONAL if row[name]}
    if row["importance"] is not None:
        message["importance"] = row["importance"]
    if row["is_history_only"]:
        message["memorize"] = False
    if row["refs"]:
        message["refs"] = [Reference.model_validate(one).model_dump() for one in row["refs"]]
    if metadata := json.loads(row["metadata"]):
        message["metadata"] = metadata
    return {
        "message": message,
        "memory_id": str(row["memory_id"]),
        "stored_at": format_instant(row["stored_at"]),
        "states": [_stated(one) for one in json.loads(row["states"] or "[]")],
    }


def _stated(one: Mapping[str, Any]) -> dict[str, object]:
    spans = {
        name: None if one[name] is None else format_instant(datetime.fromisoformat(one[name]))
        for name in ("valid_from", "valid_to")
    }
    return {**one, **spans}


_TEXT: Final[tuple[Callable[[str], object], object]] = (str, "")
_INSTANT: Final = (datetime.fromisoformat, datetime(1, 1, 1, tzinfo=UTC))
_KEYS: Final[Mapping[str, tuple[Callable[[str], object], object]]] = MappingProxyType(
    {
        **dict.fromkeys(("sent_at", "created_at", "ended_at"), _INSTANT),
        "id": (UUID, UUID(int=0)),
        "ordinal": (int, -1),
    }
)
"""How a sort column is read, and a value before all others; any other is a text."""
_JSON: Final = frozenset({"value", "key_topics"})
_PARTS: Final[Mapping[str, _ExportPart]] = MappingProxyType(
    {
        "messages": _ExportPart("message", ("sent_at", "message_id"), body=_message),
        "documents": _ExportPart("document", ("key",), hidden=frozenset({"key"})),
        "memories": _ExportPart("memory", ("created_at", "id"), documents=_JSON),
        "facts": _ExportPart("fact", ("subject_key", "predicate", "id"), hidden=frozenset({"subject_key"})),
        "words": _ExportPart("word", ("request", "ordinal")),
        "rejections": _ExportPart("rejection", ("request", "ordinal")),
        "entities": _ExportPart("entity", ("key",)),
        "decisions": _ExportPart("decision", ("first", "second")),
        "notes": _ExportPart("note", ("conversation_id", "key"), documents=_JSON),
        "session_ends": _ExportPart("session_end", ("conversation_id", "ended_at")),
    }
)
EXPORT_PARTS: Final = tuple(_PARTS)
"""In the order of an export."""


class ExportStore(Store):
    """Reads the items of an export; an unknown user has none. Raises `StoreUnavailable`."""

    async def after(
        self, tenant: str, user_id: str, part: str, key: ExportKey, limit: int
    ) -> Sequence[ExportedItem]:
        """Return the next items of a part (one of `EXPORT_PARTS`) after `key`; none at its end.

        Changes do not move items: those that exist during the whole export are returned once.

        Raises:
            InvalidExportKey: `key` is none of this part.
        """
        how = _PARTS[part]
        columns = [_KEYS.get(name, _TEXT) for name in how.key]
        try:
            place = [read(text) for (read, _), text in zip(columns, key, strict=True)] if key else None
            place = place or [first for _, first in columns]
            found = await self._fetch(_SQL[part], tenant, user_id, *place, limit)
        except (asyncpg.DataError, ValueError):  # of the server; of the driver, or here
            raise InvalidExportKey(f"no {how.item} has such a key") from None
        return [how.to_item(user_id, row) for row in found]

    async def next_user(self, tenant: str, behind: str) -> str | None:
        """Return the first user after `behind` with any rows; None at the end."""
        found: str | None = await self._fetchval(_SQL["next_user"], tenant, behind)
        return found
