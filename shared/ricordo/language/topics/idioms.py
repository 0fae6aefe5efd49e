"""Ways of speaking, whose nouns name nothing that a message is about: "in bocca al lupo", "break a leg"."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document

_FOLDED: Final = attrgetter("folded")


def in_idioms(document: Document) -> frozenset[int]:
    """Return the places of the words that belong to an idiom, by their index."""
    text, tokens, language = document.text, document.words, document.language
    cues = _idioms(language) if language in LANGUAGES else {}
    if cues.keys().isdisjoint(map(_FOLDED, tokens)):
        return frozenset()
    said = cues.keys() & set(map(_FOLDED, tokens))
    spans = list(_spans(text, {pattern for word in said for pattern in cues[word]}))
    return frozenset(
        at for at, token in enumerate(tokens) if any(start <= token.start < end for start, end in spans)
    )


def _spans(text: str, patterns: Collection[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    low = text.lower().replace("\u2019", "'")
    if len(low) == len(text):  # one letter is longer when it is small
        for pattern in patterns:
            yield from (match.span() for match in pattern.finditer(low))


@lru_cache(maxsize=len(LANGUAGES))
def _idioms(language: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of `idioms.toml` by the words that they need, read once."""
    table: list[tuple[str, str]] = read_table("idioms", language)["patterns"]
    found: dict[str, tuple[re.Pattern[str], ...]] = {}
    for cues, pattern in table:
        compiled = re.compile(pattern)
        for word in cues.split():
            found[word] = (*found.get(word, ()), compiled)
    return found
