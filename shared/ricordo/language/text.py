"""What every part does to a text before it looks at it: normal form, words, stems, sentences, hashes."""

import hashlib
import re
import threading
import unicodedata
from functools import lru_cache
from typing import NamedTuple, Protocol

import snowballstemmer

from ricordo.language.markup import beginning
from ricordo.language.openings import first_telling
from ricordo.language.stop_words import stop_words

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
# What is longer is no word of any language: stemming it would only cost time.
LONGEST_WORD = 64
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_ELISION = re.compile(r"['\u2019]")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”»)\]]*\s+|\n+")
LONGEST_ABBREVIATION = 8
ABBREVIATION = re.compile(
    r"(?:\b(?:sig|sigg|dott|dr|prof|avv|ing|ecc|es|pag|art|mr|mrs|ms|st|jr|sr|vs|etc|e\.g|i\.e|approx)|\b[A-Z])\.$",
    re.IGNORECASE,
)


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


class _StemmersOfThread(threading.local):
    """Snowball stemmers hold the word they work on: one of each language for every thread."""

    def __init__(self) -> None:
        self.by_algorithm: dict[str, _Stemmer] = {}

    def get(self, algorithm: str) -> _Stemmer:
        stemmer = self.by_algorithm.get(algorithm)
        if stemmer is None:
            stemmer = self.by_algorithm[algorithm] = snowballstemmer.stemmer(algorithm)
        return stemmer


_stemmers = _StemmersOfThread()


def normalise(text: str) -> str:
    """Return `text` in Unicode normal form C."""
    return unicodedata.normalize("NFC", text)


def collapse(text: str) -> str:
    """Return `text` on one line, with single spaces and none at the ends."""
    return " ".join(text.split())


def text_hash(text: str) -> bytes:
    """Return what tells a text from every other one: SHA-256 of its UTF-8, as PostgreSQL computes it, too."""
    return hashlib.sha256(text.encode()).digest()


def words(text: str, language: str) -> list[str]:
    """Return the case-folded words of `text`, in order.

    Italian is cut at apostrophes (`l'amico` is `l`, `amico`); elsewhere a contraction stays whole (`don't`).
    """
    return [word.folded for word in located_words(normalise(text), language)]


class Word(NamedTuple):
    """A word where it stands: as written, case-folded, and its place in the text in characters."""

    written: str
    folded: str
    start: int
    end: int


# Several readers look at the words of one text in turn.
@lru_cache(maxsize=16)
def located_words(text: str, language: str) -> tuple[Word, ...]:
    """Return what `words` returns, each with its place in `text`, which must be in normal form C."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        written, start = match[0], match.start()
        if written.isalnum():
            found.append(Word(written, written.casefold(), start, match.end()))
        elif language != "it":
            written = written.replace("\u2019", "'")
            found.append(Word(written, written.casefold(), start, match.end()))
        else:
            for part in _ELISION.split(written):
                found.append(Word(part, part.casefold(), start, start + len(part)))
                start += len(part) + 1
    return tuple(found)


def stem(word: str, language: str) -> str:
    """Return the Snowball stem of a case-folded word, without diacritics.

    In a language without a stemmer the word itself is its stem; so is what is too long for a word,
    which is not remembered either.
    """
    return _stem(word, language) if len(word) <= LONGEST_WORD else without_accents(word)


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    algorithm = _ALGORITHMS.get(language)
    stemmed = _stemmers.get(algorithm).stemWord(word) if algorithm else word
    return without_accents(stemmed)


def without_accents(word: str) -> str:
    """Return `word` without diacritics."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def content_words(text: str, language: str) -> list[str]:
    """Return the words of `text` that are no stop words; all of them where nothing else would be left."""
    every = words(text, language)
    ignored = stop_words(language)
    return [word for word in every if word not in ignored] or every


def stems(text: str, language: str) -> list[str]:
    """Return the stems of the content words of `text`, in order, repetitions included."""
    return [stem(word, language) for word in content_words(text, language)]


def sentences(text: str) -> list[str]:
    """Split `text` after `.`, `!`, `?` and `…`, and at line ends; an abbreviation does not end a sentence."""
    return list(_sentences(text))


def statements(text: str) -> tuple[str, ...]:
    """Return the sentences of `text` that do not ask: each on one line, in lower case, apostrophes straight.

    Patterns that disregard case are several times slower than patterns on lower case.
    """
    return _statements(normalise(text))


@lru_cache(maxsize=16)
def _statements(text: str) -> tuple[str, ...]:
    return tuple(
        collapse(sentence).lower()
        for sentence in sentences(text.replace("\u2019", "'"))
        if not sentence.rstrip("\"')»”").endswith("?")
    )


@lru_cache(maxsize=16)
def _sentences(text: str) -> tuple[str, ...]:
    found: list[str] = []
    parts: list[str] = []
    for piece in map(str.strip, _SENTENCE_END.split(text)):
        if not piece:
            continue
        parts.append(piece)
        if piece[-1] != "." or not ABBREVIATION.search(piece[-LONGEST_ABBREVIATION:]):
            found.append(" ".join(parts))
            parts.clear()
    if parts:
        found.append(" ".join(parts))
    return tuple(found)


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


def title_of(text: str, limit: int = 80) -> str:
    """Return what `text` says first as a title of at most `limit` characters, without its full stop.

    Greetings, code, addresses and markup are passed over where anything else is said.
    """
    said = beginning(text)
    if not _WORD.search(said):
        said = text.replace("`", " ")
    first = first_telling(sentences(said)) or text
    return excerpt(first.rstrip(" .;,:") or first, limit)
