"""Named blocks of SQL, read once from the package's `.sql` files."""

import re
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def blocks(file: str) -> dict[str, str]:
    """Return the blocks of `sql/<file>.sql` by name; a block begins with a line `-- name: the_name`."""
    text = files(__package__).joinpath("sql", f"{file}.sql").read_text(encoding="utf-8")
    parts = _NAME.split(text)[1:]
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))
