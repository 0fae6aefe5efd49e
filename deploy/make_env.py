#!/usr/bin/env python3
"""Write the .env of a cluster: each secret of .env.example gets a random value; standard library only.

Run again, it keeps what is there and adds what is missing, as after an upgrade that brought a new server.
"""

import argparse
import os
import re
import secrets
import sys
from pathlib import Path

_ASSIGNMENT = re.compile(r"^([A-Z][A-Z0-9_]*)=(.*)$")
_ROOT = Path(__file__).resolve().parents[1]


def assignments(text: str) -> dict[str, str]:
    """Return the names and values of lines of the form NAME=value; other lines are passed over."""
    matches = (_ASSIGNMENT.match(line.strip()) for line in text.splitlines())
    return {match[1]: match[2].strip() for match in matches if match}


def completed(template: str, current: str) -> tuple[str, list[str]]:
    """Return `current` with a random value for each name of `template` that has none, and those names.

    The values hold letters, digits, - and _ only, since they stand in addresses: 192 random bits each.
    """
    known = assignments(current)
    missing = [name for name in assignments(template) if not known.get(name)]
    drawn = {name: secrets.token_urlsafe(24) for name in missing}
    lines = []
    for line in (current or template).splitlines():
        match = _ASSIGNMENT.match(line.strip())
        lines.append(f"{match[1]}={drawn.pop(match[1])}" if match and match[1] in drawn else line)
    lines += [f"{name}={value}" for name, value in drawn.items()]
    return "".join(f"{line}\n" for line in lines), missing


def _write(path: Path, text: str) -> None:
    """Replace `path` in one step; only its owner may read it."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
    fresh.replace(path)


def main(arguments: list[str] | None = None) -> int:
    """Complete the file; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "file", type=Path, nargs="?", default=_ROOT / ".env", help="by default .env beside the compose file"
    )
    path = parser.parse_args(arguments).file
    try:
        template = (_ROOT / ".env.example").read_text(encoding="utf-8")
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        text, missing = completed(template, current)
        if missing:
            _write(path, text)
    except OSError as error:
        sys.stderr.write(f"make_env: {error}\n")
        return 1
    done = f"drew {', '.join(missing)}" if missing else "nothing was missing"
    sys.stdout.write(f"{path}: {done}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
