"""What a text tells as so or planned, as against what it asks, wishes, supposes, dreams, jokes or quotes.

Readers of life events and of event times look only at this, so that what is unreal is unreal for all of them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.text import normalise, sentences

_LONGEST = 600
"""Characters of a sentence that are read at once: what hostile text costs stays linear."""
_MARKED: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|^>[^\n]*|\bhttps?://\S+", re.DOTALL | re.MULTILINE
)
_QUOTED: Final = re.compile('"[^"\n]{1,300}"|“[^“”\n]{1,300}”|«[^«»\n]{1,300}»')
_WORD: Final = re.compile(r"[a-z0-9]+")
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
_DOTTED: Final = "İ"
"""The one letter that is longer in lower case."""
_ACCENTED: Final = re.compile(f"[{''.join(_PLAIN)}{_DOTTED}]")
_MOST_SENTENCES: Final = 1000
"""Sentences that are read of one text."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A stretch of text that tells, as it is written and plain; both are equally long.

    Attributes:
        text: as written, but for blanks.
        plain: in lower case, without accents, apostrophes straight.
        words: the plain words of the sentence that it is a part of.
    """

    text: str
    plain: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Frame:
    """What says of a stretch of text that it does not tell: a pattern that needs one of its cues."""

    pattern: re.Pattern[str]
    cues: frozenset[str]

    def search(self, low: str, said: frozenset[str], start: int, end: int) -> re.Match[str] | None:
        """Find it between two places of `low`, whose words are `said`."""
        return None if self.cues.isdisjoint(said) else self.pattern.search(low, start, end)


@dataclass(frozen=True, slots=True)
class _Frames:
    """The frames of one language: what asks, then what tells a story, jokes, supposes or wishes."""

    asks: re.Pattern[str]
    asks_and_tells: re.Pattern[str]
    tag: re.Pattern[str]
    question: re.Pattern[str]
    told: re.Pattern[str]
    story: _Frame
    joke: _Frame
    supposes: _Frame
    wishes: _Frame
    ends: re.Pattern[str]
    courtesy: re.Pattern[str]


def plain(text: str) -> str:
    """Return `text` in lower case without accents, its apostrophes straight; as long as `text`."""
    if text.isascii():
        return text.lower()
    return _ACCENTED.sub(lambda found: _PLAIN.get(found[0], "i"), text).lower()


def evenly_set(text: str) -> str:
    """Return `text` in normal form C with one space for all blanks between two words of a line.

    So patterns hold them. Line ends stay: they end sentences.
    """
    text = normalise(text)
    # Every blank but the space is no printable sign: most texts need no pattern.
    return text if text.isprintable() and "  " not in text else _BLANKS.sub(" ", text)


def plain_words(low: str) -> frozenset[str]:
    """Return the words of a plain text, cut at apostrophes."""
    return frozenset(_WORD.findall(low))


def tellings(text: str, language: str) -> tuple[Telling, ...]:
    """Return the stretches of `text` that tell, in order.

    Left out are sentences that ask, that tell of a story, the news or a dream, what stands in quotation
    marks, code and links, what is wished or supposed; of a text that says it is a joke, everything. A
    question hung onto a statement leaves the statement. Blanks are set evenly (`evenly_set`).

    Args:
        text: what was said.
        language: "it" or "en"; other languages tell nothing that could be read.
    """
    if language not in LANGUAGES:
        return ()
    return _tellings(evenly_set(text), language)


def disclosures(text: str, language: str) -> tuple[Telling, ...]:
    """Return the tellings of `text` but for courtesies: wishes, comfort, congratulations and thanks.

    Args:
        text: what was said.
        language: as in `tellings`.
    """
    told = tellings(text, language)
    return tuple(one for one in told if not _frames(language).courtesy.match(one.plain))


@lru_cache(maxsize=16)
def _tellings(text: str, language: str) -> tuple[Telling, ...]:
    frames = _frames(language)
    found: list[Telling] = []
    for sentence in sentences(_without_quotes(text))[:_MOST_SENTENCES]:
        for start in range(0, len(sentence), _LONGEST):
            piece = sentence[start : start + _LONGEST]
            low = plain(piece)
            said = plain_words(low)
            if frames.joke.search(low, said, 0, len(low)):
                return ()
            found += (Telling(piece[a:b], low[a:b], said) for a, b in _told(low, said, frames))
    return tuple(found)


def _without_quotes(text: str) -> str:
    if "`" in text or ">" in text or "http" in text:
        text = _MARKED.sub(" ", text)
    if '"' in text or "“" in text or "«" in text:
        text = _QUOTED.sub("…", text)
    return text


def _told(low: str, said: frozenset[str], frames: _Frames) -> Iterator[tuple[int, int]]:
    """Yield the spans of a sentence that tell; `said` are its words."""
    if frames.story.search(low, said, 0, len(low)):
        return
    span = _unasked(low, frames)
    if span is None:
        return
    start, end = span
    if supposed := frames.supposes.search(low, said, start, end):
        end = supposed.start()
        # "If it rains we stay": all depends on it. "He came, as if …": what stands before it does not.
        if not low[start:end].strip(" ,;:-'"):
            return
    while wished := frames.wishes.search(low, said, start, end):
        if wished.start() > start:
            yield start, wished.start()
        over = frames.ends.search(low, wished.end(), end)
        if over is None:
            return
        start = over.start()
    if start < end:
        yield start, end


def _unasked(low: str, frames: _Frames) -> tuple[int, int] | None:
    """Return what of a sentence does not ask, None if nothing."""
    opening = _OPENING.match(low)
    start = opening.end() if opening else 0
    marked = "?" in low[len(low.rstrip(" ?!.…\"')]»”")) :]
    if telling := frames.asks_and_tells.match(low, start):
        return telling.end(), len(low)
    if not marked:
        return None if frames.asks.match(low, start) else (0, len(low))
    if tag := frames.tag.search(low):
        return None if frames.asks.match(low, start) else (0, tag.start())
    question = frames.question.search(low, start)
    if question is None or frames.asks.match(low, start):
        return None
    return (0, question.start()) if frames.told.search(low, 0, question.start()) else None


def either(patterns: Iterable[str]) -> str:
    """Return the pattern that matches where one of `patterns` does."""
    return "|".join(f"(?:{pattern})" for pattern in patterns)


@lru_cache(maxsize=len(LANGUAGES))
def _frames(language: str) -> _Frames:
    table = read_table("assertion_scope", language)
    cues = table["cues"]

    def pattern(key: str) -> re.Pattern[str]:
        value = table[key]
        return re.compile(value if isinstance(value, str) else either(value))

    def frame(key: str) -> _Frame:
        return _Frame(pattern(key), frozenset(cues[key].split()))

    return _Frames(
        asks=pattern("asks"),
        asks_and_tells=pattern("asks_and_tells"),
        tag=re.compile(rf"[,;:] ?(?:{pattern('tags').pattern})\W*$"),
        question=pattern("question"),
        told=pattern("told"),
        story=frame("story"),
        joke=frame("joke"),
        supposes=frame("supposes"),
        wishes=frame("wishes"),
        ends=pattern("ends"),
        courtesy=pattern("courtesy"),
    )
