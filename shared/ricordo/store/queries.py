"""Named blocks of SQL, read once from the package's `.sql` files."""

import re
from functools import cache
from importlib.resources import files

_HEAD = re.compile(r"^-- (name|fragment): (\w+)\s*$", re.MULTILINE)
_INCLUDE = re.compile(r"^-- include: (?:(\w+)\.)?(\w+)\s*$", re.MULTILINE)


@cache
def blocks(file: str) -> dict[str, str]:
    """Return the blocks of `sql/<file>.sql` by name; a block begins with a line `-- name: the_name`.

    What several of them have in common stands once, after a line `-- fragment: the_name`, in place of which
    they have a line `-- include: the_name`; of another file, `-- include: its_name.the_name`.

    Raises:
        KeyError: there is no fragment of a name.
    """
    return {
        name: _INCLUDE.sub(lambda at: _parts(at[1] or file)["fragment"][at[2]], body)
        for name, body in _parts(file)["name"].items()
    }


@cache
def _parts(file: str) -> dict[str, dict[str, str]]:
    """Return the blocks and the fragments of a file, as they stand there."""
    text = files(__package__).joinpath("sql", f"{file}.sql").read_text(encoding="utf-8")
    parts = _HEAD.split(text)[1:]
    found: dict[str, dict[str, str]] = {"name": {}, "fragment": {}}
    for kind, name, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        found[kind][name] = body.strip()
    return found
