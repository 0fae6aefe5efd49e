"""Functions on strings: normal form, stems, hashes, excerpts."""

import hashlib
import threading
import unicodedata
from functools import lru_cache
from itertools import filterfalse
from typing import Final

import snowballstemmer

from ricordo.language.data_files import LANGUAGES, read_table

_ALGORITHMS = {
    "it": "italian",
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "nl": "dutch",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}
LONGEST_WORD: Final = 64
"""Characters: longer tokens are not stemmed."""


# Snowball stemmers hold the word they work on: one of each language for every thread.
_stemmers = threading.local()


def normalise(text: str) -> str:
    """Return `text` in Unicode normal form C."""
    return unicodedata.normalize("NFC", text)


def collapse(text: str) -> str:
    """Return `text` on one line, with single spaces and none at the ends."""
    return " ".join(text.split())


def text_hash(text: str) -> bytes:
    """Return the SHA-256 of the UTF-8 of `text`, as PostgreSQL computes it."""
    return hashlib.sha256(text.encode()).digest()


def stem(word: str, language: str) -> str:
    """Return the Snowball stem of a case-folded word, without diacritics.

    The stem of a word in a language without a stemmer, or of an overlong one, is the word itself.
    """
    return _stem(word, language) if len(word) <= LONGEST_WORD else without_accents(word)


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None:
        return without_accents(word)
    stemmers = _stemmers.__dict__
    if algorithm not in stemmers:
        stemmers[algorithm] = snowballstemmer.stemmer(algorithm)
    return without_accents(stemmers[algorithm].stemWord(word))


def without_accents(word: str) -> str:
    """Return `word` without diacritics."""
    if word.isascii():
        return word
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFD", word)))


def excerpt(text: str, limit: int) -> str:
    """Shorten `text` to at most `limit` characters on one line, at the end of a word where one is near.

    Raises:
        ValueError: `limit` is below 1.
    """
    if limit < 1:
        raise ValueError("an excerpt has at least one character")
    line = collapse(text)
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    space = cut.rfind(" ")
    if space > limit // 2 and line[limit - 1] != " ":
        cut = cut[:space]
    return cut.rstrip(" ,;:.-\u2013\u2014") + "…"


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language of `LANGUAGES`, none of any other.

    They are case-folded, and cut at apostrophes as `tokenization.words` cuts them.
    """
    if language not in LANGUAGES:
        return frozenset()
    return frozenset(read_table("function_words", language)["stop_words"].split())
