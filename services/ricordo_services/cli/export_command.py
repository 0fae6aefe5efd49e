"""`ricordo export`: all that is held of a user, a JSON object a line."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from ricordo.client import RicordoError
from ricordo_services import private_files as private
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import Failed, Interrupted
from ricordo_services.cli.input_files import ITEMS, STANDARD_INPUT
from ricordo_services.cli.options import User, argument, flag, reworded
from ricordo_services.cli.output import counted, print_json, print_line, print_remark, progress
from ricordo_services.export_stream import END, exported_items

Write = Callable[[str], object]


async def export(
    call: Annotated[Call, reworded(as_json="Print item counts as JSON.")],
    file: Annotated[str, argument("FILE", "A new file; - for standard output.")] = STANDARD_INPUT,
    *,
    user: User,
    force: Annotated[bool, flag("--force", "Replace FILE if it exists.")] = False,
) -> None:
    """Export all data of a user.

    One JSON object per line: messages that can be published again, documents with their bytes, memories
    with their derived values, facts with their sources, and the user's decisions. The file has mode 0600
    and appears when it is complete. Vectors and other internal values are left out.

    Examples:
        ricordo export --user davide davide.jsonl
        ricordo export --user davide | gzip > davide.jsonl.gz
    """
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
