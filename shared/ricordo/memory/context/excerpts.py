"""Shortens a text to the clauses that share most words with the question."""

import re
from typing import Final

from ricordo.language.text import excerpt, stem
from ricordo.language.titles import only_greets
from ricordo.language.tokenization import ABBREVIATION, LONGEST_ABBREVIATION, words
from ricordo.memory.context.token_budget import LONGEST_TOKEN, PATIENCE, Count, cost

# What a word of the question is worth in a clause, and in an adjacent one; a figure; to be the first.
_OWN: Final = 4.0
_NEXT: Final = 1.0
_FIGURE: Final = 0.5
_FIRST: Final = 0.25
GAP: Final = " … "
# Looking behind keeps it linear: a run of white space or of dots is tried at its beginning only.
_END: Final = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”»)\]]*+\s++|[,;:]\s++|(?<!\s)\s+[–—-]\s++|(?<!\s)\s*\n\s*+"
)
_SHORTEST: Final = 25  # characters of a clause that ends inside a sentence


class Excerpt:
    """The clauses of a text, ranked by what they share with the question."""

    def __init__(self, text: str, wanted: frozenset[str], language: str) -> None:
        self._text = text
        self._clauses = _clauses(text)
        worth = _worth([text[begin:end] for begin, end in self._clauses], wanted, language)
        self._order = sorted(range(len(worth)), key=lambda at: -worth[at])

    def within(self, limit: int, count: Count) -> str:
        """Return the best clauses that cost at most `limit` tokens, in the order of the text.

        Gaps are marked by an ellipsis. Empty where no clause fits.
        """
        return self._joined(self._chosen(limit, count, greetings=False)) or self._joined(
            self._chosen(limit, count, greetings=True)
        )

    def _chosen(self, limit: int, count: Count, *, greetings: bool) -> list[int]:
        kept: list[int] = []
        left, refused = limit, 0
        for at in self._order:
            begin, end = self._clauses[at]
            if end - begin <= left * LONGEST_TOKEN:  # else not even worth counting
                if only_greets(self._text[begin:end]) and not greetings:
                    continue
                spent = cost(self._text[begin:end] + GAP, count)
                if spent <= left:
                    left -= spent
                    kept.append(at)
                    continue
            refused += 1
            if refused == PATIENCE:
                break
        return sorted(kept)

    def beginning(self, limit: int, count: Count) -> str:
        """Return the beginning of the best clause, cut to `limit` tokens."""
        return _cut(self._text[slice(*self._clauses[self._order[0]])], count, limit) if self._order else ""

    def _joined(self, kept: list[int]) -> str:
        pieces: list[list[int]] = []
        for at in kept:
            if pieces and pieces[-1][1] == at - 1:
                pieces[-1][1] = at
            else:
                pieces.append([at, at])
        spans = ((self._clauses[first][0], self._clauses[last][1]) for first, last in pieces)
        return GAP.join(self._text[begin:end] for begin, end in spans)


def _clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the clauses; only white space and dashes stand between them."""
    found: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        end = match.start() + len(match[0].rstrip())
        before = text[max(0, end - LONGEST_ABBREVIATION) : end]
        if match[0][0] == "." and ABBREVIATION.search(before):
            continue
        if end - start < _SHORTEST and match[0][0] not in ".!?…" and "\n" not in match[0]:
            continue
        if text[start:end].strip():
            found.append((start, end))
        start = match.end()
    if text[start:].strip():
        found.append((start, len(text.rstrip())))
    return tuple(found)


def _worth(clauses: list[str], wanted: frozenset[str], language: str) -> list[float]:
    shared = [
        len(wanted.intersection(stem(word, language) for word in words(one, language))) for one in clauses
    ]
    around = [0, *shared, 0]
    return [
        _OWN * own
        + _NEXT * (around[at] + around[at + 2])
        + _FIGURE * any(map(str.isdigit, clauses[at]))
        + _FIRST * (at == 0)
        for at, own in enumerate(shared)
    ]


def _cut(text: str, count: Count, limit: int) -> str:
    most = limit * LONGEST_TOKEN // 2
    kept = excerpt(text[: 2 * most], most)
    while len(kept) > 1 and (spent := cost(kept, count)) > limit:
        kept = excerpt(kept, max(1, int(len(kept) * 0.95 * limit / spent)))
    return kept
