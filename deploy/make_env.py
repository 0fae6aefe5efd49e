#!/usr/bin/env python3
"""Write the .env of a cluster: a random value for each secret of .env.example, and the settings of a profile.

Run again, it keeps what is there and adds what is missing, as after an upgrade that brought a new server.
Standard library only.
"""

import argparse
import os
import re
import secrets
import sys
from pathlib import Path

_ASSIGNMENT = re.compile(r"^([A-Z][A-Z0-9_]*)=(.*)$")
_ROOT = Path(__file__).resolve().parents[1]
_CHOSEN = "COMPOSE_PROFILES"
_PROFILES = {
    path.stem: path.read_text(encoding="utf-8") for path in (_ROOT / "deploy/profiles").glob("*.env")
}


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


def with_profile(current: str, name: str) -> str:
    """Return `current` with the settings of a profile; those of another one make room, choices stay."""
    ours, known = assignments(_PROFILES[name]), assignments(current)
    others = [
        item for other, text in _PROFILES.items() if other != name for item in assignments(text).items()
    ]
    lines = [line for line in current.splitlines() if not set(others) & assignments(line).items()]
    kept = {name for line in lines for name in assignments(line)} - {_CHOSEN}
    lines = [line for line in lines if _CHOSEN not in assignments(line)]
    profiles = [one for one in known.get(_CHOSEN, "").split(",") if one and one not in _PROFILES]
    added = {_CHOSEN: ",".join([name, *profiles])}
    added |= {one: value for one, value in ours.items() if one != _CHOSEN and one not in kept}
    return "".join(f"{line}\n" for line in (*lines, *(f"{one}={value}" for one, value in added.items())))


def profile_of(current: str) -> str:
    """Return the profile of a file; of a new one `light`, of one without any that with Ollama's vectors."""
    known = assignments(current)
    chosen = [one for one in known.get(_CHOSEN, "").split(",") if one in _PROFILES]
    if chosen:
        return chosen[0]
    return "embeddings" if known else "light"


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
    parser.add_argument(
        "--profile",
        choices=sorted(_PROFILES),
        help="light: no Ollama; embeddings: Ollama for vectors alone; full: Ollama for all, and GLiNER",
    )
    given = parser.parse_args(arguments)
    path = given.file
    try:
        template = (_ROOT / ".env.example").read_text(encoding="utf-8")
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        text, missing = completed(template, current)
        profile = given.profile or profile_of(current)
        text = with_profile(text, profile)
        if text != current:
            _write(path, text)
    except OSError as error:
        sys.stderr.write(f"make_env: {error}\n")
        return 1
    done = f"drew {', '.join(missing)}" if missing else "no secret was missing"
    done += f"; the profile is {profile}"
    sys.stdout.write(f"{path}: {done}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
