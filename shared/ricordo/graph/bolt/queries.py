"""Named blocks of Cypher, read once from the package's `.cypher` files."""

import re
from functools import cache
from importlib.resources import files
from typing import Final, LiteralString, cast

_NAME: Final = re.compile(r"^// name: (\w+)\s*$", re.MULTILINE)


@cache
def blocks(file: str) -> dict[str, LiteralString]:
    """Return the blocks of `cypher/<file>.cypher` by name; a block begins with a line `// name: the_name`."""
    text = files(__package__).joinpath("cypher", f"{file}.cypher").read_text(encoding="utf-8")
    parts = _NAME.split(text)[1:]
    found = {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
    # The driver asks for literals so that no value is spliced into a query: these are files of this package.
    return {name: cast("LiteralString", body) for name, body in found.items()}
