"""Which predicates a question asks for, and how people tell what answers it.

"Dove abito?" asks for `lives_in`, "do I have pets?" for `has_pet`. What answers such a question seldom shares
a word with it ("stiamo in via Garibaldi"), so that it is also searched for in the words of a telling.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ricordo.domain.analysis.reading import flat
from ricordo.domain.stop_words import stop_words
from ricordo.domain.tables import read_table
from ricordo.domain.text import words

CORE: Final = ("name", "lives_in", "works_at", "partner", "has_child", "has_pet")
"""What a question for oneself as a whole ("what do you know about me?") asks for."""
LANGUAGES: Final = ("it", "en")
_POSSESSIVE: Final = "'s"


@dataclass(frozen=True, slots=True)
class Sought:
    """What a question asks for in terms of facts.

    Attributes:
        predicates: names of the vocabulary, in the order of the table; none where the question fits none.
        bare: whether the question says nothing else that could be searched for, and names nobody: it is about
            the user.
    """

    predicates: tuple[str, ...] = ()
    bare: bool = False


NOTHING_SOUGHT: Final = Sought()


@dataclass(frozen=True, slots=True)
class Telling:
    """How people tell what answers a question for a predicate.

    Attributes:
        sentences: examples, for their meaning.
        words: all words that such tellings hold, for a search by words.
    """

    sentences: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class _Table:
    asks: dict[str, re.Pattern[str]]
    self: re.Pattern[str]
    plain: frozenset[str]
    tellings: dict[str, Telling]


def sought(query: str, language: str, *, names: Iterable[str] = (), time: str = "") -> Sought:
    """Return which predicates a question asks for.

    Args:
        query: as it was asked.
        language: "it" or "en"; of others nothing is known.
        names: those that the question holds.
        time: the words in it that name a time.
    """
    if language not in LANGUAGES:
        return NOTHING_SOUGHT
    table, text = _table(language), flat(query)
    found = [name for name, pattern in table.asks.items() if pattern.search(text) is not None]
    about_self = table.self.search(text) is not None
    if not found and not about_self:
        return NOTHING_SOUGHT
    named = tuple(names)
    rest = table.self.sub(" ", text.replace(flat(time), " ") if time else text)
    for name in found:
        rest = table.asks[name].sub(" ", rest)
    predicates = tuple(dict.fromkeys((*found, *(CORE if about_self else ()))))
    return Sought(predicates, bare=not named and not _says_more(rest, table.plain, language))


def telling(predicate: str, language: str) -> Telling | None:
    """Return how people tell what answers a question for `predicate`; None where that is not known."""
    return _table(language).tellings.get(predicate) if language in LANGUAGES else None


def _says_more(rest: str, plain: frozenset[str], language: str) -> bool:
    ignored = stop_words(language)
    spoken = (word.removesuffix(_POSSESSIVE) for word in words(rest, language))
    return any(word not in plain and word not in ignored for word in spoken)


@lru_cache(maxsize=len(LANGUAGES))
def _table(language: str) -> _Table:
    """Return `lexicon/sought.toml` for a language, read once."""
    read = read_table("sought")
    entries = read[language]
    return _Table(
        asks={name: _any_of(entry["asks"]) for name, entry in entries.items()},
        self=_any_of(read["self"][language]),
        plain=frozenset(read["plain"][language].split()),
        tellings={
            name: Telling(tuple(entry["told"]), " ".join((*entry["told"], entry["words"])))
            for name, entry in entries.items()
        },
    )


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
