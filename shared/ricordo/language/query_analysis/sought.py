"""Which predicates a question asks for, and how people tell what answers it.

"Dove abito?" asks for `lives_in`, "do I have pets?" for `has_pet`: by words that ask for it, and by a head
that was learned on such questions, which knows wordings that no expression was written for. What answers such
a question seldom shares a word with it ("stiamo in via Garibaldi"), so that it is also searched for in the
words of a telling.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import MINILM
from ricordo.language.data_files import read_table
from ricordo.language.query_analysis.reading import flat
from ricordo.language.text_head import LANGUAGES, load_head

CORE: Final = ("name", "lives_in", "works_at", "partner", "has_child", "has_pet")
"""What a question for oneself as a whole ("what do you know about me?") asks for."""
MODEL: Final = MINILM
"""Whose vector of the question the head reads."""
_SELF, _NONE = "self", "-"
_LEAST: Final = 0.5
"""The probability from which on a question asks for nothing but predicates."""
_WORDED: Final = 0.3
"""What words that ask for a predicate add to its probability."""
_KEPT: Final = 0.25
"""The least that a predicate has which is asked for."""
_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class Sought:
    """What a question asks for in terms of facts.

    Attributes:
        predicates: names of the vocabulary, the likeliest first; none where the question fits none.
        bare: how likely it says nothing else that could be searched for, and is about the user, [0, 1];
            0 where that is not likelier than not.
    """

    predicates: tuple[str, ...] = ()
    bare: float = 0.0


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
    tellings: dict[str, Telling]


def sought(
    query: str, language: str, *, names: Collection[str] = (), vector: NDArray[np.float32] | None = None
) -> Sought:
    """Return which predicates a question asks for.

    Args:
        query: as it was asked.
        language: "it" or "en"; of others nothing is known.
        names: those that the question holds; who names somebody asks for more than a predicate.
        vector: of the question by `MODEL`, [d], unit norm; without it words alone ask for predicates, and no
            question is taken to ask for nothing else.
    """
    if language not in LANGUAGES:
        return NOTHING_SOUGHT
    text = flat(query)
    worded = [name for name, asks in _table(language).asks.items() if asks.search(text) is not None]
    if vector is None or names or not text.strip():
        return Sought(tuple(worded))
    odds = dict(load_head(__package__ or "", "sought", language).probabilities(query, vector))
    bare = 1.0 - odds.pop(_NONE)
    if bare < _LEAST:
        return Sought(tuple(worded))
    scores = {name: share + _WORDED * (name in worded) for name, share in odds.items()}
    likeliest = sorted(scores, key=scores.__getitem__, reverse=True)[:_MOST]
    kept = [name for name in likeliest if scores[name] >= _KEPT] or likeliest[:1]
    predicates = [each for name in (*kept, *worded) for each in (CORE if name == _SELF else (name,))]
    return Sought(tuple(dict.fromkeys(predicates)), bare)


def telling(predicate: str, language: str) -> Telling | None:
    """Return how people tell what answers a question for `predicate`; None where that is not known."""
    return _table(language).tellings.get(predicate) if language in LANGUAGES else None


@lru_cache(maxsize=len(LANGUAGES))
def _table(language: str) -> _Table:
    """Return `sought_facts.toml` of a language, read once."""
    entries = read_table("sought_facts", language)
    return _Table(
        asks={name: _any_of(entry["asks"]) for name, entry in entries.items()},
        tellings={
            name: Telling(tuple(entry["told"]), " ".join((*entry["told"], entry["words"])))
            for name, entry in entries.items()
        },
    )


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
