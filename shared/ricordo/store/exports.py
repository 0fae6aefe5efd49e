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
_BEGINNING: Final = datetime(1, 1, 1, tzinfo=UTC)
Body = Callable[[asyncpg.Record], dict[str, object]]
_STATED: Final = ("participants", "location", "kind", "importance", "tags", "expires_at", "trust")
_OPTIONAL: Final = ("speaker", "timezone", "language", *_STATED)
_NOBODY: Final = UUID(int=0)


class InvalidExportKey(ValueError):
    """The key does not belong to the part."""


@dataclass(frozen=True, slots=True)
class ExportedItem:
    """An item of an export, and the key and size of its object, if it has one."""

    key: ExportKey
    item: Mapping[str, object]
    object_key: str | None = None
    size: int = 0


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.utcoffset() is None:
        raise ValueError("an instant has an offset")
    return found


def _count(text: str) -> int:
    if not -(2**31) <= (found := int(text)) <= 2**31 - 1:
        raise ValueError("a place is a small number")
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """How the rows of a part become items.

    Attributes:
        key: the sort columns, each with a parser and a value before all others.
        documents: columns with JSON.
    """

    item: str
    key: tuple[tuple[str, Callable[[str], object], object], ...]
    hidden: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    body: Body | None = None

    def read(self, key: ExportKey) -> list[object]:
        """Return the values of a key.

        Raises:
            InvalidExportKey: it is not a key of this part.
        """
        if not key:
            return [first for _, _, first in self.key]
        if len(key) != len(self.key) or any("\x00" in text for text in key):
            raise InvalidExportKey(f"no {self.item} has such a key")
        try:
            "".join(key).encode()  # rejects lone surrogates
            return [read(text) for (_, read, _), text in zip(self.key, key, strict=True)]
        except (ValueError, OverflowError):
            raise InvalidExportKey(f"no {self.item} has such a key") from None

    def to_item(self, user_id: str, row: asyncpg.Record) -> ExportedItem:
        """Return the item of a row."""
        key = tuple(_text(row[name]) for name, _, _ in self.key)
        plain = self.body(row) if self.body else _plain(row, self.hidden, self.documents)
        item = {"item": self.item, "user_id": user_id, **plain}
        if self.item == "document":
            return ExportedItem(key, item, row["key"], row["size"])
        return ExportedItem(key, item)


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


def _plain(
    row: asyncpg.Record, hidden: frozenset[str] = frozenset(), documents: frozenset[str] = frozenset()
) -> dict[str, object]:
    return {
        name: json.loads(value) if name in documents and value is not None else _json(value)
        for name, value in row.items()
        if name not in hidden
    }


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


_PARTS: Final[Mapping[str, _Part]] = MappingProxyType(
    {
        "messages": _Part(
            "message", (("sent_at", _instant, _BEGINNING), ("message_id", str, "")), body=_message
        ),
        "documents": _Part("document", (("key", str, ""),), hidden=frozenset({"key"})),
        "memories": _Part(
            "memory",
            (("created_at", _instant, _BEGINNING), ("id", UUID, _NOBODY)),
            documents=frozenset({"key_topics"}),
        ),
        "facts": _Part(
            "fact",
            (("subject_key", str, ""), ("predicate", str, ""), ("id", UUID, _NOBODY)),
            hidden=frozenset({"subject_key"}),
        ),
        "words": _Part("word", (("request", str, ""), ("ordinal", _count, -1))),
        "rejections": _Part("rejection", (("request", str, ""), ("ordinal", _count, -1))),
        "entities": _Part("entity", (("key", str, ""),)),
        "decisions": _Part("decision", (("first", str, ""), ("second", str, ""))),
        "notes": _Part(
            "note", (("conversation_id", str, ""), ("key", str, "")), documents=frozenset({"value"})
        ),
        "session_ends": _Part(
            "session_end", (("conversation_id", str, ""), ("ended_at", _instant, _BEGINNING))
        ),
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
        values = how.read(key)
        found = await self._fetch(_SQL[part], tenant, user_id, *values, limit)
        return [how.to_item(user_id, row) for row in found]

    async def next_user(self, tenant: str, behind: str) -> str | None:
        """Return the first user after `behind` with any rows; None at the end."""
        found: str | None = await self._fetchval(_SQL["next_user"], tenant, behind)
        return found
