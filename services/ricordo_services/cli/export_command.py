"""`ricordo export`: all that is held of a user, a JSON object a line; and the reader of such a file."""

import asyncio
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

from ricordo.client import RicordoError
from ricordo_services import private_files as private
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import Failed, Interrupted
from ricordo_services.cli.input_files import STANDARD_INPUT
from ricordo_services.cli.output import counted, print_json, print_line, print_remark, progress
from ricordo_services.export_stream import END, exported_items

ITEMS: Final = tomllib.loads((resources.files(__package__) / "export_items.toml").read_text(encoding="utf-8"))

Write = Callable[[str], object]
Item = Mapping[str, Any]

_FIELDS: Final = {kind: tuple(item["fields"]) for kind, item in ITEMS.items()} | {END: ("items",)}
_KEPT: Final = ("word", "rejection", "decision", "note", "session_end")


async def export(call: Call, file: str = STANDARD_INPUT, *, user: str, force: bool = False) -> None:
    """Export all data of a user."""
    to_file, quiet = file != STANDARD_INPUT, call.as_json
    if to_file:
        _check(Path(file), force=force)
    else:  # which is JSON already
        call = replace(call, as_json=False)
    counts: Counter[str] = Counter()
    try:
        async with call.client() as client:
            with (
                _written(Path(file), force=force) if to_file else nullcontext(print_line) as write,
                progress("exported", quiet=quiet) as show,
            ):
                total = 0
                with suppress(RicordoError):
                    stats = await client.stats(user)
                    total = stats.history + stats.memories
                async with aclosing(exported_items(client, user)) as items:
                    async for item in items:
                        if item["item"] == END and not counts:
                            break
                        write(json.dumps(item, ensure_ascii=False))
                        counts[str(item["item"])] += item["item"] != END
                        done = counts["message"] + counts["memory"]
                        show(done, max(total, done))
    except asyncio.CancelledError:
        kept = f"; {file} was not written" if to_file else ""
        raise Interrupted(f"{counts.total()} items were exported{kept}") from None
    if call.as_json:
        print_json({"file": file, "items": {name: counts[name] for name in ITEMS}})
        return
    found = ", ".join(counted(counts[name], item["plural"]) for name, item in ITEMS.items() if counts[name])
    where = f" in {file}" if to_file else ""
    print_remark(f"{found}{where}" if found else f"no data of user {user!r}")


def _check(path: Path, *, force: bool) -> None:
    """Check the path of the file before connecting."""
    if path.is_dir():
        raise Failed(f"{path} is a folder: name a file")
    if not path.parent.is_dir():
        raise Failed(f"there is no folder {path.parent}")
    if path.exists() and not force:
        raise Failed(f"{path} exists: name another file, or replace it with --force")


@contextmanager
def _written(path: Path, *, force: bool) -> Iterator[Write]:
    """Yield a function that writes a line; the file, of mode 0600, appears when it is complete."""
    with private.replacing(path) as lines:
        yield lambda line: lines.write(f"{line}\n".encode())
        _check(path, force=force)


@dataclass(slots=True)
class ExportFile:
    """An export file, read again for each pass over it."""

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
    promised: int | None = None  # how many its end says that there are; None where it has none

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

    def bodies(self) -> Iterator[tuple[int, bytes]]:
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
