"""Removes figurative words of feeling: "dying for a pizza", "my phone died", "HIV positive"."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, Patterns, either, read_table
from ricordo.language.document import Document
from ricordo.language.text import stem
from ricordo.language.tokenization import PLAIN_WORD, tokenize

_REACH: Final = 6  # words between a thing and what is said of it, at most
_CLAUSE: Final = re.compile(r"[^.,;:!?…()\n]+")


class _Figures(Patterns):
    """Those of one language, read in lower case without accents."""

    hints: tuple[str, ...]
    things: frozenset[str]
    between: frozenset[str]
    of: frozenset[str]


def without_figures(document: Document) -> Document:
    """Return a text without figurative words of feeling; the same document if it has none."""
    text, language = document.text, document.language
    if language not in LANGUAGES:
        return document
    known, low = _load(language), document.plain
    if not any(map(low.__contains__, known.hints)):
        return document
    kept, behind = "", 0
    for start, end in sorted(_unmeant(low, known, language)):
        if start >= behind:
            kept += text[behind:start]
            behind = end
    return document.with_text(kept + text[behind:])


def _unmeant(low: str, known: _Figures, language: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the words that are not meant."""
    for clause in _CLAUSE.finditer(low):
        start, end = clause.span()
        if not known.literal.search(low, start, end):
            for figure in known.figures.finditer(low, start, end):
                yield from (word.span() for word in known.cut.finditer(low, *figure.span()))
        words = list(tokenize(low, PLAIN_WORD, start, end))
        said = [word.written for word in words]
        for at, word in enumerate(words):
            dying = known.dying.fullmatch(word.written)
            if dying and any(_is_thing(said, at, step, known, language) for step in (-1, 1)):
                yield word.start, word.end


def _is_thing(words: list[str], at: int, step: int, known: _Figures, language: str) -> bool:
    """Find a thing before (`step` -1) or after (1) the word, with nothing but function words between.

    "The plants on my balcony died": what only says where is passed over.
    """
    place, last = at + step, at + step * _REACH
    while 0 <= place < len(words) and place != last:
        if stem(words[place], language) in known.things:
            return not known.of.intersection(words[max(0, place - 3) : place])  # "the driver of the car died"
        if words[place] not in known.between:
            where = [one for one in range(max(0, place - 2), place) if words[one] in known.of]
            if step > 0 or not where:
                return False
            place = where[0]
        place += step
    return False


@lru_cache(maxsize=len(LANGUAGES))
def _load(language: str) -> _Figures:
    table = read_table("figures", language)
    return _Figures(
        hints=tuple(table["hints"].split()),
        dying=re.compile(table["dying"]),
        figures=re.compile(either(table["figures"])),
        cut=re.compile(rf"\b(?:{table['cut']})\b"),
        literal=re.compile(table["literal"]),
        things=frozenset(stem(word, language) for word in table["things"].split()),
        between=frozenset(table["between"].split()),
        of=frozenset(table["of"].split()),
    )
