"""What a regular expression cannot match without: pieces of text, much faster to look for than it is.

Only what the patterns of this project use is known: alternatives, groups without a name, look-around,
classes, escapes of kinds of characters and of signs, quantifiers, and names in angle brackets that stand for
words written elsewhere. It may be said to demand too little, but never too much; anything else is refused.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

Pieces = frozenset[str]
"""One of these at least stands in whatever matches."""

_SHORTEST: Final = 3
"""Letters of a piece: shorter ones stand in most texts."""
_MOST_PIECES: Final = 64
"""Pieces that are worth looking for in place of a search."""
_MOST_DEMANDS: Final = 3
_KINDS: Final = frozenset("bBdDsSwWAZ")
"""Escaped letters that stand for no character in particular."""
_RUN: Final = re.compile("[a-z0-9]+")
_GRAM: Final = 3
"""Letters by which a piece is looked up in a word."""
_LONGEST_KEPT: Final = 40
"""Letters of a word whose pieces are remembered."""
_MOST_WORDS: Final = 8192

_ATOM: Final = re.compile(
    r"(?P<about>\(\?(?:[=!]|<[=!]))|(?P<group>\((?:\?:|(?!\?)))|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<name><\w+>)"
    r"|(?P<end>\))|(?P<bar>\|)|(?P<escape>\\.)|(?P<other>[.^$])|(?P<letter>.)",
    re.DOTALL,
)
_QUANTIFIER: Final = re.compile(
    r"(?:(?P<none>[*?]|\{0*,[0-9]*\}|\{0+\})|(?P<some>\+|\{[0-9]+(?:,[0-9]*)?\}))[?+]?"
)


def demands(pattern: str) -> tuple[Pieces, ...]:
    """Return what any match of `pattern` holds: of each set one piece; the most telling sets, at most 3.

    Raises:
        ValueError: the pattern has something that is not known here; what it demands cannot be said.
    """
    found, end = _either(pattern, 0)
    if end < len(pattern):
        raise ValueError(f"a group is closed that was not opened: {pattern}")
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
        if atom is None or not _is_known(atom):
            raise ValueError(f"unknown at {at}: {pattern}")
        inner: list[Pieces] = []
        at = atom.end()
        letter = _letter(atom)
        if atom.lastgroup in {"about", "group"}:
            inner, at = _either(pattern, at)
            if at == len(pattern):
                raise ValueError(f"a group is not closed: {pattern}")
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


def _is_known(atom: re.Match[str]) -> bool:
    """Whether it is known what an atom stands for: no flag, no name, no character by its number."""
    if atom.lastgroup == "escape":
        return not atom[0][1].isalnum() or atom[0][1] in _KINDS
    return atom.lastgroup != "letter" or atom[0] not in "[(\\"


def _letter(atom: re.Match[str]) -> str:
    """Return the character that an atom stands for, if it is just one."""
    if atom.lastgroup == "letter":
        return atom[0]
    # An escaped letter is a kind of character or a place, any other sign is itself.
    return atom[0][1] if atom.lastgroup == "escape" and not atom[0][1].isalnum() else ""


def _long_enough(run: str) -> Iterator[Pieces]:
    if len(run.strip()) >= _SHORTEST:
        yield frozenset((run,))


class Sieve:
    """Says which of many patterns may match in a text, at the cost of little more than a look at its words.

    Each pattern is looked up by the most telling of the sets that it demands, and each piece of that by its
    longest run of letters or digits, which stands in one word of whatever text holds the piece.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        """Prepare for `patterns`, on lower case without accents; `ValueError` as by `demands`."""
        always: set[int] = set()
        pieces: dict[str, set[int]] = {}
        for at, pattern in enumerate(patterns):
            demanded = max(demands(pattern), key=_tells, default=frozenset(("",)))
            for piece in demanded:
                (pieces.setdefault(piece, set()) if _RUN.search(piece) else always).add(at)
        self._always: Final = frozenset(always)
        self._pieces: Final = _by_gram(pieces)
        self._remembered: Final = lru_cache(maxsize=_MOST_WORDS)(self._of_word)

    def passed(self, text: str, words: Iterable[str]) -> set[int]:
        """Return the places of the patterns that may match in `text`: all that do, and few others.

        Args:
            text: plain.
            words: its longest runs of letters or digits (`[a-z0-9]+`); others beside do no harm.
        """
        found = set(self._always)
        for word in words:
            near = self._remembered if len(word) <= _LONGEST_KEPT else self._of_word
            for piece, patterns in near(word):
                if piece in text:
                    found |= patterns
        return found

    def _of_word(self, word: str) -> tuple[tuple[str, frozenset[int]], ...]:
        """Return the pieces whose run stands in a word, and the patterns that are looked up by each."""
        grams = {word[at : at + long] for at in range(len(word)) for long in range(1, _GRAM + 1)}
        known = (self._pieces[gram] for gram in grams & self._pieces.keys())
        return tuple(one for some in known for run, one in some if run in word)


def _tells(pieces: Pieces) -> tuple[int, int]:
    """Return how seldom one of `pieces` stands in a text: by their shortest run, then their number."""
    return min(len(_run(piece)) for piece in pieces), -len(pieces)


def _run(piece: str) -> str:
    return max(_RUN.findall(piece), key=len, default="")


def _by_gram(pieces: Mapping[str, set[int]]) -> dict[str, list[tuple[str, tuple[str, frozenset[int]]]]]:
    """Return pieces with their runs and patterns, by the first letters of the run."""
    found: dict[str, list[tuple[str, tuple[str, frozenset[int]]]]] = {}
    for piece, patterns in pieces.items():
        run = _run(piece)
        found.setdefault(run[:_GRAM], []).append((run, (piece, frozenset(patterns))))
    return found
