"""Cuts a text into tokens, words and sentences: for `Document`, and for short strings such as names."""

import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ricordo.language.data_files import LANGUAGES
from ricordo.language.scripts import character_terms, compatible, is_unspaced, marks, may_hold_marks, runs
from ricordo.language.text import LONGEST_WORD, normalise, stem, stop_words

LAUGHTER: Final = re.compile(
    r"[aeiou]*(?:h+[aeiou]+){2,}h*|[aeiou]*h+[aeiou]+h+|lo+l|lmao|rofl", re.IGNORECASE
)
"""A word that is nothing else. Parts that stand beside each other share no letter: it is read in one way."""


APOSTROPHES: Final = frozenset("'\u2019")
LONGEST_ABBREVIATION: Final = 8
ABBREVIATION: Final = re.compile(
    r"(?:\b(?:sig|sigg|dott|dr|prof|avv|ing|ecc|es|pag|art|mr|mrs|ms|st|jr|sr|vs|etc|e\.g|i\.e|approx)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
PLAIN_WORD: Final = re.compile(r"[a-z0-9]+")
"""A word of a text in lower case without accents."""
VALUE: Final = re.compile(r"\d+(?:[:.,/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\w\s]")
"""A number with its separators, a word or a sign: what a correction replaces."""
TIME: Final = re.compile(r"\d+|['’]s\b|[^\W\d_]+['’](?=[^\W\d_]{2}|\d)|[^\W\d_]+|[^\w\s]|_|\n")
"""A part of a time expression; an elided word ("l'", "dell'") and the English genitive are words."""
_TITLE: Final = (
    r"(?:Dr|Mr|Mrs|Ms|St|Prof|Sig|Dott|Avv|Ing|Dott\.ssa|Sig\.ra)\."
    r"|(?<=\w )(?-i:[A-ZÀ-Ý])\.(?= (?-i:[a-zà-ÿ]))"  # "Marco R. plays": no sentence ends here
)
CLITIC: Final = {
    "en": re.compile(
        rf"{_TITLE}|\w+?(?=n't\b)|n't\b|'(?:m|s|re|ve|d|ll)\b|\d+(?:[.,/]\d+)+"
        r"|\w+(?:[-&]\w+)*(?:'(?!(?:m|s|re|ve|d|ll)\b)\w+)?|\n+|[^\w\s]",
        re.IGNORECASE,
    ),
    "it": re.compile(rf"{_TITLE}|po'|\d+(?:[.,/]\d+)+|\w+'|\w+(?:[-&]\w+)*|\n+|[^\w\s]", re.IGNORECASE),
}
"""A word without its clitics ("do", "n't"; "dell'", "amico"), a number, a sign or line ends, by language."""
_ELISION: Final = re.compile(r"['\u2019]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])[\"'”»)\]]*\s+|\n+")


class Token(NamedTuple):
    """A word or a sign: as written, case-folded, and its offsets in characters."""

    written: str
    folded: str
    start: int
    end: int


def words_of(text: str, language: str) -> Iterator[Token]:
    """Yield the words of `text`, which must be in normal form C.

    Italian is cut at apostrophes (`l'amico` is `l`, `amico`); elsewhere a contraction stays whole (`don't`).
    Combining marks and joiners belong to their word.
    """
    word = _marked_word() if may_hold_marks(text) else _WORD
    for match in word.finditer(text):
        written, start = match[0], match.start()
        if written.isalnum() or APOSTROPHES.isdisjoint(written):
            yield Token(written, written.casefold(), start, match.end())
        elif language != "it":
            written = written.replace("\u2019", "'")
            yield Token(written, written.casefold(), start, match.end())
        else:
            for part in _ELISION.split(written):
                yield Token(part, part.casefold(), start, start + len(part))
                start += len(part) + 1


@lru_cache(maxsize=1)
def _marked_word() -> re.Pattern[str]:
    """Return `_WORD` with marks; it takes half as long again."""
    marked = rf"[^\W_]+(?:[{marks()}]+[^\W_]*)*"
    return re.compile(rf"{marked}(?:['\u2019]{marked})*")


def tokenize(text: str, token: re.Pattern[str], start: int = 0, end: int = sys.maxsize) -> Iterator[Token]:
    """Yield the tokens of `text[start:end]` that a pattern matches, with their offsets in `text`."""
    for match in token.finditer(text, start, end):
        written = match[0]
        yield Token(written, written.casefold(), match.start(), match.end())


def sentences_of(text: str) -> Iterator[str]:
    """Split `text` after `.`, `!`, `?` and `…`, and at line ends; an abbreviation does not end a sentence."""
    parts: list[str] = []
    for piece in map(str.strip, _SENTENCE_END.split(text)):
        if not piece:
            continue
        parts.append(piece)
        if piece[-1] != "." or not ABBREVIATION.search(piece[-LONGEST_ABBREVIATION:]):
            yield " ".join(parts)
            parts.clear()
    if parts:
        yield " ".join(parts)


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends with a question mark, quotation marks aside."""
    return sentence.rstrip("\"')»”").endswith("?")


def words(text: str, language: str) -> list[str]:
    """Return the case-folded words of `text`, in order."""
    return [word.folded for word in words_of(normalise(text), language)]


def without_stop_words(folded: list[str], language: str) -> list[str]:
    """Return the case-folded words that are not stop words; all of them if none would be left."""
    ignored = stop_words(language)
    return [word for word in folded if word not in ignored] or folded


def content_words(text: str, language: str) -> list[str]:
    """Return the words of `text` without stop words, unless none would be left."""
    return without_stop_words(words(text, language), language)


def stems(text: str, language: str) -> list[str]:
    """Return the terms by which the content words of `text` are found, in order, with repetitions."""
    return terms_of(content_words(text, language), language)


def terms_of(folded: Iterable[str], language: str) -> list[str]:
    """Return the terms by which case-folded words are found.

    In Italian and English that is the stem; in another language the stem and the word, which a text in any
    language finds. Words in scripts that do not separate them, and Korean ones, which end in particles, are
    found by pairs of characters too.
    """
    cached, anew = _word_terms, _word_terms.__wrapped__
    return [
        term
        for word in folded
        for term in (cached(word, language) if len(word) <= LONGEST_WORD else anew(word, language))
    ]


@lru_cache(maxsize=65_536)
def _word_terms(word: str, language: str) -> tuple[str, ...]:
    if not word.isascii():
        word = compatible(word)
        if is_unspaced(word):
            return tuple(term for run in runs(word) for term in _run_terms(run, language))
    if language in LANGUAGES:
        return (stem(word, language),)
    return tuple(dict.fromkeys((stem(word, language), stem(word, ""))))


def _run_terms(run: str, language: str) -> list[str]:
    return character_terms(stem(run, "")) if is_unspaced(run) else terms_of([run], language)
