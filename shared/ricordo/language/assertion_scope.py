"""Selects what a text asserts as real or planned: no question, wish, condition, dream, joke or quotation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, Patterns, read_patterns
from ricordo.language.text import normalise
from ricordo.language.tokenization import PLAIN_WORD, sentences_of

_LONGEST = 600  # characters of a sentence that are read at once: what hostile text costs stays linear
_MARKED: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|^>[^\n]*|\bhttps?://\S+", re.DOTALL | re.MULTILINE
)
_QUOTED: Final = re.compile('"[^"\n]{1,300}"|“[^“”\n]{1,300}”|«[^«»\n]{1,300}»')
_BLANKS: Final = re.compile(r"[^\S\n]{2,}|[^\S \n]")
_OPENING: Final = re.compile(
    r"(?:(?:so|and|but|hey|hi|ciao|ehi|ok|okay|well|allora|e|ma|oh|senti|scusa|sorry|dai|quindi|no|yes|si)\b"
    r"[ ,!]*)+"
)
_PLAIN: Final = dict(
    zip(
        "àáâãäåèéêëìíîïòóôõöùúûüýÿñçÀÁÂÃÄÅÈÉÊËÌÍÎÏÒÓÔÕÖÙÚÛÜÝÑÇ’‘´",
        "aaaaaaeeeeiiiiooooouuuuyyncAAAAAAEEEEIIIIOOOOOUUUUYNC" + 3 * "'",
        strict=True,
    )
)
_DOTTED: Final = "İ"  # the one letter that is longer in lower case
_ACCENTED: Final = re.compile(f"[{''.join(_PLAIN)}{_DOTTED}]")
_MOST_SENTENCES: Final = 1000  # sentences that are read of one text


@dataclass(frozen=True, slots=True)
class Assertion:
    """A part of a sentence that asserts something."""

    text: str
    plain: str
    words: frozenset[str]


def plain(text: str) -> str:
    """Return `text` in lower case without accents, its apostrophes straight; as long as `text`."""
    if text.isascii():
        return text.lower()
    return _ACCENTED.sub(lambda found: _PLAIN.get(found[0], "i"), text).lower()


def evenly_spaced(text: str) -> str:
    """Return `text` in normal form C with a single space for all white space within a line."""
    text = normalise(text)
    # Every blank but the space is no printable sign: most texts need no pattern.
    return text if text.isprintable() and "  " not in text else _BLANKS.sub(" ", text)


def plain_words(low: str) -> frozenset[str]:
    """Return the words of a plain text, cut at apostrophes."""
    return frozenset(PLAIN_WORD.findall(low))


def assertions_of(sentences: Sequence[str], language: str) -> tuple[Assertion, ...]:
    """Return what a text asserts, in order.

    Sentences that ask or retell a story, the news or a dream, and what is wished or supposed, are left out;
    of a text that says it is a joke, everything. Of a statement with a tag question the statement stays.
    """
    frames = _frames(language)
    found: list[Assertion] = []
    for sentence in sentences[:_MOST_SENTENCES]:
        for start in range(0, len(sentence), _LONGEST):
            piece = sentence[start : start + _LONGEST]
            low = plain(piece)
            if frames.joke.search(low):
                return ()
            said = plain_words(low)
            found += (Assertion(piece[a:b], low[a:b], said) for a, b in _asserted(low, frames))
    return tuple(found)


def asserted_spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a text stand that assert something."""
    end = 0
    for one in assertions_of(tuple(sentences_of(text)), language):
        start = text.find(one.text, end)
        if start >= 0:
            end = start + len(one.text)
            yield start, end


def without_quotations(text: str) -> str:
    """Replace quotations, code and links."""
    if "`" in text or ">" in text or "http" in text:
        text = _MARKED.sub(" ", text)
    if '"' in text or "“" in text or "«" in text:
        text = _QUOTED.sub("…", text)
    return text


def _asserted(low: str, frames: Patterns) -> Iterator[tuple[int, int]]:
    """Yield the spans of a sentence that assert something."""
    if frames.story.search(low):
        return
    span = _unasked(low, frames)
    if span is None:
        return
    start, end = span
    if supposed := frames.supposes.search(low, start, end):
        end = supposed.start()
        # "If it rains we stay": all depends on it. "He came, as if …": what stands before it does not.
        if not low[start:end].strip(" ,;:-'"):
            return
    while wished := frames.wishes.search(low, start, end):
        if wished.start() > start:
            yield start, wished.start()
        over = frames.ends.search(low, wished.end(), end)
        if over is None:
            return
        start = over.start()
    if start < end:
        yield start, end


def _unasked(low: str, frames: Patterns) -> tuple[int, int] | None:
    """Return what of a sentence does not ask, None if nothing."""
    opening = _OPENING.match(low)
    start = opening.end() if opening else 0
    marked = "?" in low[len(low.rstrip(" ?!.…\"')]»”")) :]
    if narrating := frames.asks_and_tells.match(low, start):
        return narrating.end(), len(low)
    if not marked:
        return None if frames.asks.match(low, start) else (0, len(low))
    if tag := frames.tag.search(low):
        return None if frames.asks.match(low, start) else (0, tag.start())
    question = frames.question.search(low, start)
    if question is None or frames.asks.match(low, start):
        return None
    return (0, question.start()) if frames.told.search(low, 0, question.start()) else None


@lru_cache(maxsize=len(LANGUAGES))
def _frames(language: str) -> Patterns:
    return Patterns(**read_patterns("assertion_scope", language))
