"""What a context says in its own words, in Italian or English: phrases and word lists of `context.toml`."""

from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from ricordo.memory.context.syntax import FALLBACK, load_phrases


def phrases(language: str) -> Mapping[str, object]:
    """Return the phrases of a language; English for one without phrases."""
    return load_phrases().get(language) or load_phrases()[FALLBACK]


def phrase(language: str, name: str, **values: object) -> str:
    """Return a phrase, filled in; English for a language without phrases."""
    # Values are put in by replacement: a brace in what a user said is no placeholder.
    text = str(phrases(language)[name])
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    return text


def counted(language: str, name: str, count: int) -> str:
    """Return a phrase that says how many, in the singular or the plural."""
    return phrase(language, f"{name}_one") if count == 1 else phrase(language, name, count=count)


@lru_cache(maxsize=2)
def word_lists(language: str) -> Mapping[str, frozenset[str]]:
    """Return the word lists of a language by name; underscores stand for spaces."""
    lists = cast("Mapping[str, str]", phrases(language)["lists"])
    return {name: frozenset(words.split()) for name, words in lists.items()}
