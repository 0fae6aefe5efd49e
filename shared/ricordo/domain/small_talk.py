"""Whether a text tells anything, or keeps the talk going: thanks, greetings, applause, "sounds good!"."""

from functools import lru_cache
from typing import Final

from ricordo.domain.life_events import life_event
from ricordo.domain.stop_words import stop_words
from ricordo.domain.tables import read_table
from ricordo.domain.text import stem, words

# One word is the name of who is thanked as often as it is a matter.
_LEAST_WORDS: Final = 2


@lru_cache(maxsize=1)
def _small_talk() -> dict[str, frozenset[str]]:
    """Return the stems of `lexicon/small_talk.toml` by language, read once."""
    table: dict[str, str] = read_table("small_talk")
    return {
        language: frozenset(
            stem(each, language) for entry in listed.split() for each in words(entry, language)
        )
        for language, listed in table.items()
    }


def tells_something(text: str, language: str) -> bool:
    """Say whether `text` holds two different words, at least, that are more than grammar and courtesy.

    A turn of a life says something in a single one: "I'm pregnant".

    Args:
        text: what was said.
        language: a primary subtag; of a language whose small talk is not known, any two words will do.
    """
    return len(telling_words(text, language)) >= _LEAST_WORDS or life_event(text, language) != ""


def telling_words(text: str, language: str) -> frozenset[str]:
    """Return the stems of the words of `text` that are more than grammar and courtesy.

    Args:
        text: what was said.
        language: as in `tells_something`.
    """
    ignored, courtesy = stop_words(language), _small_talk().get(language, frozenset())
    found: set[str] = set()
    for said in words(text, language):
        word = said.removesuffix("'s")
        if len(word) == 1 or not word.isalpha() or word in ignored:
            continue  # a single letter, a contraction, a number
        found.add(stem(word, language))
    return frozenset(found - courtesy)
