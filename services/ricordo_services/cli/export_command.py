"""`ricordo export`: all that is held of a user, a JSON object a line."""

import asyncio
import json
import tomllib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, nullcontext
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Final

from ricordo.client import MemoryClient, RicordoError, Timeout, Unavailable
from ricordo.messages.commands import ExportReply
from ricordo.messages.message_types import JsonObject
from ricordo_services import private_files as private
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import Failed, Interrupted
from ricordo_services.cli.input_files import STANDARD_INPUT
from ricordo_services.cli.output import counted, err_console, print_json, print_line, print_remark, progress

_TRIES: Final = 5
_PAUSE_S: Final = 1.0
ITEMS: Final = tomllib.loads((resources.files(__package__) / "export_items.toml").read_text(encoding="utf-8"))
END: Final = "end"
"""The last item of a file, with the number of items before it, so that a truncated file is detected."""

Write = Callable[[str], None]


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
                progress(err_console(), "exported", quiet=quiet) as show,
            ):
                total = await _expected(client, user)
                async with aclosing(items(client, user)) as found:
                    async for item in found:
                        write(json.dumps(item, ensure_ascii=False))
                        counts[str(item["item"])] += 1
                        done = counts["message"] + counts["memory"]
                        show(done, max(total, done))
                if counts:
                    write(json.dumps({"item": END, "user_id": user, "items": counts.total()}))
    except asyncio.CancelledError:
        kept = f"; {file} was not written" if to_file else ""
        raise Interrupted(f"{counts.total()} items were exported{kept}") from None
    _summarise(counts, user, file, as_json=call.as_json)


async def items(client: MemoryClient, user: str) -> AsyncGenerator[JsonObject, None]:
    """Yield all that is held of a user, item by item; joins items that come in pieces.

    Raises:
        RicordoError: it was not answered, several times.
    """
    pieces: list[str] = []
    cursor: str | None = None
    while True:
        page = await _page(client, user, cursor)
        for item in page.items:
            if item["item"] != "piece":
                yield item
                continue
            if item["number"] == 0:  # of another item; or of the same, which has changed meanwhile
                pieces.clear()
            pieces.append(str(item["text"]))
            if len(pieces) == item["pieces"]:
                whole: JsonObject = json.loads("".join(pieces))
                yield whole
        if page.next is None:
            return
        cursor = page.next


async def _page(client: MemoryClient, user: str, cursor: str | None) -> ExportReply:
    for left in reversed(range(_TRIES)):
        try:
            return await client.export(user, cursor=cursor)
        except (Unavailable, Timeout):
            if not left or cursor is None:  # who begins is told at once
                raise
        await asyncio.sleep(_PAUSE_S)
    raise AssertionError("the last try returns or raises")


async def _expected(client: MemoryClient, user: str) -> int:
    """Return about how many messages and memories there are; 0 if stats are unavailable."""
    try:
        stats = await client.stats(user)
    except RicordoError:
        return 0
    return stats.history + stats.memories


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

        def write(line: str) -> None:
            lines.write(f"{line}\n".encode())

        yield write
        _check(path, force=force)


def _summarise(counts: Counter[str], user: str, file: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"file": file, "items": {name: counts[name] for name in ITEMS}})
        return
    found = ", ".join(counted(counts[name], item["plural"]) for name, item in ITEMS.items() if counts[name])
    where = "" if file == STANDARD_INPUT else f" in {file}"
    print_remark(f"{found}{where}" if found else f"no data of user {user!r}")
