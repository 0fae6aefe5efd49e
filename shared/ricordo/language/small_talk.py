"""Decides whether a text is more than small talk: thanks, greetings, applause, "sounds good!"."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.text import stop_words
from ricordo.language.tokenization import LAUGHTER, Token, words, words_of

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
def _courtesies(language: str) -> frozenset[str]:
    """Return the words of a language's small talk, and those without their last letter."""
    listed = _listed().get(language, frozenset())
    return listed | {each[:-1] for each in listed if len(each) > _LEAST_LETTERS}


def has_content(document: Document) -> bool:
    """Return whether a text has two different words, at least, that are more than grammar and courtesy."""
    return len([*islice(meaningful_words(document), _LEAST_WORDS)]) == _LEAST_WORDS


def meaningful_words(document: Document) -> Iterator[str]:
    """Yield the different words of a text that are more than grammar and courtesy.

    In doubt a word is: "importato" shares its stem with "importante", which is courtesy.
    """
    courtesy, found = _courtesies(document.language), set[str]()
    spoken = words_of(document.composed.text, document.language)  # of which the first one is enough, often
    for word in _content_words(spoken, document.language):
        if word not in courtesy and word[:-1] not in courtesy and word not in found:
            found.add(word)
            yield word


def _content_words(spoken: Iterable[Token], language: str) -> Iterator[str]:
    ignored = stop_words(language)
    for said in spoken:
        word = said.folded.removesuffix("'s")
        if len(word) > 1 and word.isalpha() and word not in ignored and not LAUGHTER.fullmatch(word):
            yield word  # no single letter, contraction or number
