"""What a regular expression cannot match without: pieces of text, much faster to look for than it is.

Only what the patterns of this project use is known: alternatives, groups, look-around, classes, escapes,
quantifiers, and names in angle brackets that stand for words written elsewhere. The others demand nothing:
too little may be demanded, but never too much.
"""

import re
from collections.abc import Iterator
from typing import Final

Pieces = frozenset[str]
"""One of these at least stands in whatever matches."""

_SHORTEST: Final = 3
"""Letters of a piece: shorter ones stand in most texts."""
_MOST_PIECES: Final = 64
"""Pieces that are worth looking for in place of a search."""
_MOST_DEMANDS: Final = 3

_ATOM: Final = re.compile(
    r"(?P<about>\(\?(?:[=!]|<[=!]))|(?P<group>\((?:\?:)?)|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<name><\w+>)"
    r"|(?P<end>\))|(?P<bar>\|)|(?P<escape>\\.)|(?P<other>[.^$])|(?P<letter>.)",
    re.DOTALL,
)
_QUANTIFIER: Final = re.compile(r"(?:(?P<none>[*?]|\{0?,\d*\}|\{0\})|(?P<some>\+|\{\d+(?:,\d*)?\}))[?+]?")


def demands(pattern: str) -> tuple[Pieces, ...]:
    """Return what any match of `pattern` holds: of each set one piece; the most telling sets, at most 3."""
    found, _ = _either(pattern, 0)
    telling = [one for one in found if len(one) <= _MOST_PIECES]
    return tuple(sorted(telling, key=lambda one: (len(one), -min(map(len, one))))[:_MOST_DEMANDS])


def _either(pattern: str, at: int) -> tuple[list[Pieces], int]:
    """Read alternatives up to the end of their group; return what they demand, and where that end is."""
    branches: list[list[Pieces]] = []
    while True:
        demanded, at = _sequence(pattern, at)
        branches.append(demanded)
        if pattern[at : at + 1] != "|":
            break
        at += 1
    if len(branches) == 1:
        return branches[0], at
    if not all(branches):
        return [], at
    best = (min(one, key=lambda pieces: (len(pieces), -min(map(len, pieces)))) for one in branches)
    return [frozenset().union(*best)], at


def _sequence(pattern: str, at: int) -> tuple[list[Pieces], int]:
    demanded: list[Pieces] = []
    run = ""
    while at < len(pattern) and pattern[at] not in "|)":
        atom = _ATOM.match(pattern, at)
        if atom is None:
            break
        inner: list[Pieces] = []
        at = atom.end()
        letter = _letter(atom)
        if atom.lastgroup in {"about", "group"}:
            inner, at = _either(pattern, at)
            at += 1  # behind its bracket
            if atom.lastgroup == "about":
                inner = []
        times = _QUANTIFIER.match(pattern, at)
        at = times.end() if times else at
        optional = times is not None and times["none"] is not None
        if letter and times is None:
            run += letter
            continue
        if atom.lastgroup != "about" or times:
            demanded += _long_enough(run if optional or not letter else run + letter)
            run = ""
        if not optional:
            demanded += inner
    return [*demanded, *_long_enough(run)], at


def _letter(atom: re.Match[str]) -> str:
    """Return the character that an atom stands for, if it is just one."""
    if atom.lastgroup == "letter":
        return atom[0]
    # An escaped letter or digit is a class or a place, any other sign is itself.
    return atom[0][1] if atom.lastgroup == "escape" and not atom[0][1].isalnum() else ""


def _long_enough(run: str) -> Iterator[Pieces]:
    if len(run.strip()) >= _SHORTEST:
        yield frozenset((run,))
