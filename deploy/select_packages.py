#!/usr/bin/env python3
"""Print the part of requirements.lock that one image needs; standard library only.

The lock holds everything that a laptop needs: local servers, tools of developers. An image needs an extra, or
a group, and what these bring along. The lock says what that is: each package names those it is there for.
A package of which only data is used comes without its dependencies, for all platforms.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

_BLOCK = re.compile(r"\n(?=\S)")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_FOR = re.compile(r"^ +# via (.+)$", re.MULTILINE)
_MARKER = re.compile(r" ;.*?(?= \\$)", re.MULTILINE)


class UnknownPackage(Exception):
    """Asked for something that the project or the lock does not name."""


def canonical(name: str) -> str:
    """Return a package's name as all its spellings are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def blocks(lock: str) -> Mapping[str, list[str]]:
    """Return the blocks of a lock by package; one that differs between Pythons has several."""
    found: dict[str, list[str]] = {}
    for block in _BLOCK.split(lock.strip()):
        found.setdefault(_package(block), []).append(block)
    return found


def _package(requirement: str) -> str:
    match = _NAME.match(requirement)
    if match is None:
        raise UnknownPackage(f"this is no requirement: {requirement.splitlines()[0]!r}")
    return canonical(match[0])


def wanted(project: Mapping[str, object], extras: Collection[str], groups: Collection[str]) -> set[str]:
    """Return the packages that the project itself asks for: its base with any extra, and the groups.

    An extra may name others of the project: `ricordo[server]`.

    Raises:
        UnknownPackage: the project has no such extra or group.
    """
    table = _table(project, "project")
    optional, dependency_groups = _table(table, "optional-dependencies"), _table(project, "dependency-groups")
    lines: list[str] = []
    for name in groups:
        lines += _lines(dependency_groups, name, "group")
    if extras:
        lines += _lines(table, "dependencies", "list of")
    left, own = list(extras), canonical(str(table.get("name")))
    while left:
        for line in _lines(optional, left.pop(), "extra"):
            if _package(line) == own:
                left += re.findall(r"[\w-]+", line.partition("[")[2].partition("]")[0])
            else:
                lines.append(line)
    return {_package(line) for line in lines}


def _table(parent: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = parent.get(name, {})
    return found if isinstance(found, dict) else {}


def _lines(table: Mapping[str, object], name: str, kind: str) -> list[str]:
    found = table.get(name)
    if not isinstance(found, list):
        raise UnknownPackage(f"the project has no {kind} {name}")
    return [line for line in found if isinstance(line, str)]


def selected(lock: str, roots: Collection[str]) -> str:
    """Return the blocks of `roots` and of all that is in the lock for their sake.

    Raises:
        UnknownPackage: the lock has no such package.
    """
    by_name = blocks(lock)
    if strangers := sorted(set(roots) - by_name.keys()):
        raise UnknownPackage(f"the lock has no {', '.join(strangers)}")
    purposes = {name: _purposes(texts) for name, texts in by_name.items()}
    kept = set(roots)
    while more := {name for name, purpose in purposes.items() if purpose & kept} - kept:
        kept |= more
    return "".join(f"{text}\n" for name, texts in by_name.items() if name in kept for text in texts)


def data(lock: str, names: Collection[str]) -> str:
    """Return the blocks of packages whose files are the same on all platforms, without their markers.

    Raises:
        UnknownPackage: the lock has no such package.
    """
    by_name = blocks(lock)
    if strangers := sorted(set(names) - by_name.keys()):
        raise UnknownPackage(f"the lock has no {', '.join(strangers)}")
    return "".join(f"{_MARKER.sub('', text, count=1)}\n" for name in names for text in by_name[name])


def _purposes(texts: Iterable[str]) -> set[str]:
    lines = [line for text in texts for line in _FOR.findall(text)]
    return {canonical(name) for line in lines for name in line.split(", ") if " (" not in name}


def main(arguments: list[str] | None = None) -> int:
    """Print the selection; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extra", action="append", default=[], help="an extra of the project, with its base")
    parser.add_argument("--group", action="append", default=[], help="a dependency group of the project")
    parser.add_argument("--data", action="append", default=[], help="a package, alone and for all platforms")
    parser.add_argument("--folder", type=Path, default=Path(), help="holds the project and its lock")
    options = parser.parse_args(arguments)
    try:
        project = tomllib.loads((options.folder / "pyproject.toml").read_text(encoding="utf-8"))
        roots = wanted(project, options.extra, options.group)
        lock = (options.folder / "requirements.lock").read_text(encoding="utf-8")
        chosen = selected(lock, roots) + data(lock, [canonical(name) for name in options.data])
        sys.stdout.write(chosen)
    except (OSError, UnknownPackage) as error:
        sys.stderr.write(f"select_packages: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
