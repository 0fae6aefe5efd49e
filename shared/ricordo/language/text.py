"""Functions on strings: normal form, stems, hashes, excerpts."""

import hashlib
import re
import threading
import unicodedata
from functools import lru_cache
from typing import Final

import snowballstemmer

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.scripts import without_accents

_ALGORITHMS: Final = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""The Snowball stemmers by language, ISO 639-1."""
APOSTROPHE_SIGNS: Final = "'\u2019\u2018\u201b\u02bc\u02bb\u00b4`\u2032\uff07"
"""What people type for an apostrophe."""
_FOR_APOSTROPHE: Final = re.compile(rf"[{APOSTROPHE_SIGNS[2:]}](?<=[^\W\d_].)(?=[^\W\d_])")
LONGEST_WORD: Final = 64
"""Characters: longer tokens are not stemmed."""


# Snowball stemmers hold the word they work on: one of each language for every thread.
_stemmers = threading.local()


def normalise(text: str) -> str:
    """Return `text` in Unicode normal form C, with straight apostrophes for what people type instead."""
    return with_straight_apostrophes(unicodedata.normalize("NFC", text))


def with_straight_apostrophes(text: str) -> str:
    """Return a text as long, with "'" for the signs between letters that stand for an apostrophe.

    A typographic apostrophe stays: all rules know it.
    """
    if text.isascii() and "`" not in text:
        return text
    return _FOR_APOSTROPHE.sub("'", text)


def name_key(name: str) -> str:
    """Return the form under which a name is filtered by: case-folded, with straight apostrophes."""
    return with_straight_apostrophes(name).replace("\u2019", "'").casefold()


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
