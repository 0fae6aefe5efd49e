"""All that is held of a user, handed over page by page: it is asked of who keeps the documents.

A page is cut by its size, and says where the next one begins. What is too long for one page by itself, as
documents are, comes in pieces of its JSON text, one page after the other.
"""

import hashlib
import json
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Final, Self, cast

from ricordo.documents.object_store import ObjectStore
from ricordo.documents.records import ObjectMissing
from ricordo.messages.commands import Export, ExportReply
from ricordo.messages.errors import ErrorCode
from ricordo.messages.message_types import REPLY_MAX_BYTES, JsonObject
from ricordo.runtime.replies import RequestError
from ricordo.store.exports import EXPORT_PARTS, ExportedItem, ExportKey, ExportStore, InvalidExportKey

_AT_ONCE: Final = 100  # rows, of which a page holds some hundred
_ROOM: Final = REPLY_MAX_BYTES - 20_000  # for what stands around the items
_PIECE: Final = 400_000  # characters of ASCII, each of which takes at most two bytes in the text of a text
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class ExportPosition:
    """How far an export is."""

    part: str = EXPORT_PARTS[0]
    key: ExportKey = ()
    piece: int = 0
    digest: str = ""

    def written(self) -> str:
        """Return it as a cursor."""
        fields = [self.part, list(self.key), self.piece, self.digest]
        return urlsafe_b64encode(json.dumps(fields, ensure_ascii=False).encode()).decode()

    @classmethod
    def read(cls, cursor: str) -> Self:
        """Return what a cursor says.

        Raises:
            RequestError: it is none.
        """
        try:
            part, key, piece, digest = json.loads(urlsafe_b64decode(cursor.encode("ascii")).decode())
        except (ValueError, TypeError, RecursionError):
            raise _no_cursor() from None
        right = (
            part in EXPORT_PARTS
            and isinstance(key, list)
            and all(isinstance(one, str) for one in key)
            and isinstance(piece, int)
            and piece >= 0
            and isinstance(digest, str)
        )
        if not right:
            raise _no_cursor()
        return cls(part, tuple(key), piece, digest)


@dataclass(slots=True)
class _Page:
    """A page in the making, and how many bytes it has room for."""

    items: list[JsonObject] = field(default_factory=list)
    room: int = _ROOM

    def take(self, item: JsonObject, size: int) -> None:
        self.items.append(item)
        self.room -= size


@dataclass(frozen=True, slots=True)
class ExportHandler:
    """Answers `command.export`.

    Attributes:
        objects: where documents are kept; None where no place is set.
    """

    holdings: ExportStore
    objects: ObjectStore | None = None

    async def __call__(self, tenant: str, command: Export, /) -> ExportReply:
        """Return the next page.

        Raises:
            RequestError: the cursor is none.
            DependencyUnavailable: the rows, or the documents, cannot be read now.
        """
        place = ExportPosition() if command.cursor is None else ExportPosition.read(command.cursor)
        try:
            return await self._page(tenant, command.user_id, place)
        except InvalidExportKey:
            raise _no_cursor() from None

    async def _page(self, tenant: str, user_id: str, place: ExportPosition) -> ExportReply:
        page = _Page()
        async for part, held in self._behind(tenant, user_id, place):
            if page.items and 4 * held.size // 3 > page.room:  # a document is not fetched in vain
                return _reply(page, place)
            item = await self._item(held)
            text = json.dumps(item, ensure_ascii=False)
            size = len(text.encode())
            if size > page.room and page.items:
                return _reply(page, place)
            if size > page.room:
                return _in_pieces(item, place if place.part == part else ExportPosition(part), held)
            page.take(item, size)
            place = ExportPosition(part, held.key)
        return _reply(page, None)

    async def _behind(
        self, tenant: str, user_id: str, place: ExportPosition
    ) -> AsyncIterator[tuple[str, ExportedItem]]:
        """Yield what comes next, with its part."""
        key = place.key
        for part in EXPORT_PARTS[EXPORT_PARTS.index(place.part) :]:
            while found := await self.holdings.after(tenant, user_id, part, key, _AT_ONCE):
                for held in found:
                    yield part, held
                key = found[-1].key
            key = ()

    async def _item(self, held: ExportedItem) -> JsonObject:
        """Return what is handed over: with the bytes that belong to it; null where they are lost."""
        item = cast(JsonObject, dict(held.item))
        if held.object_key is None:
            return item
        data = None
        if self.objects is not None:
            try:
                data = b64encode(await self.objects.get(held.object_key)).decode()
            except ObjectMissing:
                data = None
        return {**item, "data": data}


def _no_cursor() -> RequestError:
    return RequestError(ErrorCode.INVALID_REQUEST, "cursor must be the `next` of the page before", "cursor")


def _reply(page: _Page, place: ExportPosition | None) -> ExportReply:
    return ExportReply(items=tuple(page.items), next=None if place is None else place.written())


def _in_pieces(item: JsonObject, place: ExportPosition, held: ExportedItem) -> ExportReply:
    """Return the next piece of an item: the first one, where it is not any more what it was."""
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
    behind = ExportPosition(place.part, held.key) if last else replace(place, piece=number + 1, digest=digest)
    return ExportReply(items=(piece,), next=behind.written())
