"""Answers `command.export`: all data of a user, page by page.

A page is limited by its size, and contains the cursor of the next one. An item that is too long for a page,
such as a document, is split into pieces of its JSON text, one per page.
"""

import hashlib
import json
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from pydantic import NonNegativeInt, TypeAdapter

from ricordo.documents.object_store import ObjectStore
from ricordo.documents.records import ObjectMissing
from ricordo.messages.commands import Export, ExportReply
from ricordo.messages.errors import ErrorCode
from ricordo.messages.message_types import REPLY_MAX_BYTES, JsonObject
from ricordo.runtime.handling import RequestError
from ricordo.store.exports import EXPORT_PARTS, ExportedItem, ExportKey, ExportStore, InvalidExportKey

_AT_ONCE: Final = 100  # rows; a page contains some hundred
_ROOM: Final = REPLY_MAX_BYTES - 20_000  # without the frame of the items
_PIECE: Final = 400_000  # characters of ASCII, each of which takes at most two bytes in the text of a text
_DIGITS: Final = 16


class ExportPosition(NamedTuple):
    """The position of an export."""

    part: str = EXPORT_PARTS[0]
    key: ExportKey = ()
    piece: NonNegativeInt = 0
    digest: str = ""

    def cursor(self) -> str:
        """Return it as a cursor."""
        return urlsafe_b64encode(json.dumps(self, ensure_ascii=False).encode()).decode()

    @classmethod
    def read(cls, cursor: str) -> "ExportPosition":
        """Parse a cursor.

        Raises:
            RequestError: it is invalid.
        """
        try:
            position = _position.validate_json(urlsafe_b64decode(cursor.encode("ascii")), strict=True)
        except ValueError:
            raise _no_cursor() from None
        if position.part not in EXPORT_PARTS:
            raise _no_cursor()
        return position


_position: Final = TypeAdapter(ExportPosition)


@dataclass(frozen=True, slots=True)
class ExportHandler:
    """Answers `command.export`.

    Attributes:
        objects: the object store of documents, if there is one.
    """

    store: ExportStore
    objects: ObjectStore | None = None

    async def __call__(self, tenant: str, command: Export, /) -> ExportReply:
        """Return the next page.

        Raises:
            RequestError: the cursor is invalid.
            DependencyUnavailable: rows or documents are unavailable.
        """
        place = ExportPosition() if command.cursor is None else ExportPosition.read(command.cursor)
        try:
            return await self._page(tenant, command.user_id, place)
        except InvalidExportKey:
            raise _no_cursor() from None

    async def _page(self, tenant: str, user_id: str, place: ExportPosition) -> ExportReply:
        items, room = list[JsonObject](), _ROOM
        async for part, row in self._items_after(tenant, user_id, place):
            if items and 4 * row.size // 3 > room:  # do not fetch a document in vain
                return _reply(items, place)
            item = await self._item(row)
            size = len(json.dumps(item, ensure_ascii=False).encode())
            if size > room and items:
                return _reply(items, place)
            if size > room:
                return _in_pieces(item, place if place.part == part else ExportPosition(part), row)
            items.append(item)
            room -= size
            place = ExportPosition(part, row.key)
        return _reply(items, None)

    async def _items_after(
        self, tenant: str, user_id: str, place: ExportPosition
    ) -> AsyncIterator[tuple[str, ExportedItem]]:
        """Yield the next items, each with its part."""
        key = place.key
        for part in EXPORT_PARTS[EXPORT_PARTS.index(place.part) :]:
            while found := await self.store.after(tenant, user_id, part, key, _AT_ONCE):
                for row in found:
                    yield part, row
                key = found[-1].key
            key = ()

    async def _item(self, row: ExportedItem) -> JsonObject:
        """Return the exported item, with the bytes of its document; null if they are lost."""
        item = cast(JsonObject, dict(row.item))
        if row.object_key is None:
            return item
        data = None
        if self.objects is not None:
            with suppress(ObjectMissing):
                data = b64encode(await self.objects.get(row.object_key)).decode()
        return {**item, "data": data}


def _no_cursor() -> RequestError:
    return RequestError(ErrorCode.INVALID_REQUEST, "cursor must be the `next` of the page before", "cursor")


def _reply(items: Sequence[JsonObject], place: ExportPosition | None) -> ExportReply:
    return ExportReply(items=tuple(items), next=None if place is None else place.cursor())


def _in_pieces(item: JsonObject, place: ExportPosition, row: ExportedItem) -> ExportReply:
    """Return the next piece of an item; the first one if the item has changed."""
    text = json.dumps(item)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    pieces = -(-len(text) // _PIECE)
    number = place.piece if place.digest == digest and place.piece < pieces else 0
    piece: JsonObject = {
        "item": "piece",
        "user_id": item["user_id"],
        "of": item["item"],
        "digest": digest,
        "number": number,
        "pieces": pieces,
        "text": text[number * _PIECE : (number + 1) * _PIECE],
    }
    last = number + 1 == pieces
    behind = ExportPosition(place.part, row.key) if last else place._replace(piece=number + 1, digest=digest)
    return ExportReply(items=(piece,), next=behind.cursor())
