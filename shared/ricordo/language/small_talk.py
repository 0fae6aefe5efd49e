"""Whether a text tells anything, or keeps the talk going: thanks, greetings, applause, "sounds good!"."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.laughter import LAUGHTER
from ricordo.language.life_events import life_event
from ricordo.language.stop_words import stop_words
from ricordo.language.text import stem, words

# One word is the name of who is thanked as often as it is a matter.
_LEAST_WORDS: Final = 2


# "amico", "amici": with one letter less at the end they are the same word.
_LEAST_LETTERS: Final = 4


@lru_cache(maxsize=1)
def _listed() -> dict[str, frozenset[str]]:
    """Return the words of `small_talk.toml` by language, read once."""
    listed = {language: read_table("small_talk", language)["words"].split() for language in LANGUAGES}
    return {
        language: frozenset(each for entry in entries for each in words(entry, language))
        for language, entries in listed.items()
    }


@lru_cache(maxsize=8)
def _small_talk(language: str) -> frozenset[str]:
    """Return the stems of a language's small talk."""
    return frozenset(stem(each, language) for each in _listed().get(language, ()))


@lru_cache(maxsize=8)
def _courtesies(language: str) -> frozenset[str]:
    """Return the words of a language's small talk, and those without their last letter."""
    listed = _listed().get(language, frozenset())
    return listed | {each[:-1] for each in listed if len(each) > _LEAST_LETTERS}


def tells_something(text: str, language: str) -> bool:
    """Say whether `text` holds two different words, at least, that are more than grammar and courtesy.

    A turn of a life says something in a single one: "I'm pregnant".

    Args:
        text: what was said.
        language: a primary subtag; of a language whose small talk is not known, any two words will do.
    """
    courtesy, found = _small_talk(language), set[str]()
    for word in _content_words(text, language):
        stemmed = stem(word, language)
        if stemmed not in courtesy:
            found.add(stemmed)
            if len(found) == _LEAST_WORDS:
                return True
    return life_event(text, language) != ""


def telling_words(text: str, language: str) -> frozenset[str]:
    """Return the words of `text` that are more than grammar and courtesy.

    In doubt a word is: "importato" shares its stem with "importante", which is courtesy.

    Args:
        text: what was said.
        language: as in `tells_something`.
    """
    courtesy = _courtesies(language)
    spoken = frozenset(_content_words(text, language))
    return frozenset(word for word in spoken if word not in courtesy and word[:-1] not in courtesy)


def _content_words(text: str, language: str) -> Iterator[str]:
    ignored = stop_words(language)
    for said in words(text, language):
        word = said.removesuffix("'s")
        if len(word) > 1 and word.isalpha() and word not in ignored and not LAUGHTER.fullmatch(word):
            yield word  # no single letter, contraction or number
