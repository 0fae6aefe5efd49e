"""Reads a file that `ricordo export` has written."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ricordo_services.cli.export_command import END, ITEMS
from ricordo_services.cli.failures import Failed

Item = Mapping[str, Any]

_FIELDS: Final = {kind: tuple(item["fields"]) for kind, item in ITEMS.items()} | {END: ("items",)}
_KEPT: Final = ("word", "rejection", "decision", "note", "session_end")


@dataclass(slots=True)
class ExportFile:
    """An export file, read again for each pass over it.

    Attributes:
        promised: how many its end says that there are; None where it has none.
    """

    path: Path
    title: str
    user_id: str = ""
    beside: dict[str, list[Item]] = field(default_factory=lambda: {name: [] for name in _KEPT})
    derived: list[Item] = field(default_factory=list)
    corrected: list[Item] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    messages: int = 0
    blank: int = 0
    number: int = 0
    promised: int | None = None

    @classmethod
    def read(cls, path: Path, title: str) -> "ExportFile":
        """Read a file once."""
        found = cls(path, title)
        for number, place, item in found.lines():
            found._meet(number, place, item)
        if not found.number:
            raise Failed(f"{title} holds nothing")
        if found.promised is None:
            raise Failed(
                f"{title} is incomplete: its last line is not the end of an export; nothing was imported"
            )
        return found

    def lines(self) -> Iterator[tuple[int, int, Item]]:
        """Yield the number of each line from 1, its place in the file, and its item."""
        with self.path.open("rb") as file:
            place = 0
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, place, self._item(number, line)
                place += len(line)

    def items(self, kind: str) -> Iterator[Item]:
        """Yield all items of a kind."""
        return (item for _, _, item in self.lines() if item["item"] == kind)

    async def bodies(self) -> AsyncGenerator[tuple[int, bytes], None]:
        """Yield the messages as they are published, with the numbers of their lines."""
        for number, _, item in self.lines():
            if item["item"] == "message" and item["message"].get("content", "").strip():
                body = {**item["message"], "user_id": self.user_id, **self._document(item["message"]["id"])}
                yield number, json.dumps(body, ensure_ascii=False).encode()

    def _document(self, message_id: str) -> dict[str, object]:
        place = self.places.get(message_id)
        if place is None:
            return {}
        with self.path.open("rb") as file:
            file.seek(place)
            item = json.loads(file.readline())
        return {"document": {name: item[name] for name in ("name", "media_type", "data")}}

    def _item(self, number: int, line: bytes) -> Item:
        try:
            item: Item = json.loads(line)
            kind = item["item"]
            missing = [name for name in _FIELDS.get(kind, ()) if name not in item]
            is_whole = isinstance(item["user_id"], str) and not missing
            if kind == "message":
                is_whole = is_whole and isinstance(item["message"].get("content", ""), str)
            if is_whole and kind in _FIELDS:
                return item
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            missing = []
        what = f" ({missing[0]} is missing)" if missing else ""
        raise Failed(
            f"{self.title}, line {number} is not an item of an export{what}: nothing was imported; "
            "`ricordo export` writes such files, and `ricordo publish` takes messages"
        )

    def _meet(self, number: int, place: int, item: Item) -> None:
        self.user_id = self.user_id or item["user_id"]
        if item["user_id"] != self.user_id:
            raise Failed(f"{self.title}, line {number} is of another user: import each user by itself")
        if self.promised is not None:
            raise Failed(f"{self.title}, line {number} is after the end of the export: nothing was imported")
        kind = item["item"]
        if kind == END:
            self.promised = item["items"]
            if self.promised != self.number:
                raise Failed(
                    f"{self.title} holds {self.number} items, and {self.promised} were exported: "
                    "nothing was imported"
                )
            return
        self.number += 1
        if kind in _KEPT:
            self.beside[kind].append(item)
        elif kind == "message":
            self.messages += 1
            self.blank += not item["message"].get("content", "").strip()
        elif kind == "document" and item["data"] is not None:
            self.places[item["message_id"]] = place
        elif kind == "memory" and item["message_id"] is None:
            self.derived.append(item)
        elif kind == "memory" and item["source"] == "user_correction":
            self.corrected.append(item)
