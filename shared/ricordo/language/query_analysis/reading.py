"""A question laid bare: the sentence that asks, its time, and its core."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.query_analysis.languages.patterns import QueryPatterns
from ricordo.language.temporal import Language, Preference, TimeSpan, resolve
from ricordo.language.tokenization import sentences_of

_MOST_OPENINGS: Final = 4
_LONGEST_CORE: Final = 400  # characters; whoever asks has said by then what for
FEW_WORDS: Final = 8  # more of them, without a question, tell something
_POSSESSIVE = re.compile(r"^['’]s\b")
_SPACE = re.compile(r"\s+")
_EDGES: Final = ' \t\n?!.,;:…"“”«»()'


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence that asks.

    Attributes:
        text: As it stands in the query.
        flat: The same, of the same length, in lower case, apostrophes straight.
        start: Where it begins in the query, in characters.
        time: The time that it names, its place counted in the sentence.
        elsewhere: The time that the rest of the query names, where the sentence names none; its place counted
            in the query.
        core: What it asks: without the time and without how it begins. In lower case.
        asks: It is a question or a request, not something told.
    """

    text: str
    flat: str
    start: int
    time: TimeSpan | None
    elsewhere: TimeSpan | None
    core: str
    asks: bool


def flat(text: str) -> str:
    """Return `text` in lower case with straight apostrophes, each character in its place."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have no single small one
        lowered = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    return lowered.replace("’", "'")


def read(query: str, now: datetime, zone: ZoneInfo, patterns: QueryPatterns, language: Language) -> Sentence:
    """Find the sentence of `query` that asks, and lay it bare.

    Raises:
        ValueError: `now` is naive.
    """
    chosen = _asking(query, patterns)
    text, start = chosen or (query, 0)
    small = flat(text)
    shown = _unmasked(text, small, patterns)
    time = resolve(shown, now, zone, language, prefer=direction(small, patterns))
    if time is not None:
        time = replace(time, reference=text[slice(*time.span)])
    elsewhere = None
    if time is None and len(text) < len(query):
        elsewhere = resolve(query, now, zone, language, prefer="past")
    rest = without_time(small, time, patterns)
    core = _core(rest, patterns)
    asks = "?" in text or any(_asks(part, patterns) for part in (small, rest, core))
    asks = asks and chosen is not None
    return Sentence(text, small, start, time, elsewhere, core[:_LONGEST_CORE], asks)


def without_time(text: str, time: TimeSpan | None, patterns: QueryPatterns) -> str:
    """Return the text without the words of the time, and without the preposition before these."""
    if time is None:
        return text
    before, behind = text[: time.span[0]], _POSSESSIVE.sub("", text[time.span[1] :])
    for _ in range(2):
        kept = patterns.times.before_time.search(flat(before))
        before = before[: kept.start()] if kept else before
    return _SPACE.sub(" ", f"{before.rstrip()} {behind.lstrip()}").strip()


def _asking(query: str, patterns: QueryPatterns) -> tuple[str, int] | None:
    """Return the sentence that asks, and where it begins; None when there are several and none does.

    It is the first that ends with a question mark, else the first that begins like a question.
    """
    spoken = list(sentences_of(query))
    if len(spoken) < 2:
        return query, 0
    found = [one for one in spoken if patterns.asking.greeting.search(flat(one)) is None]
    marked = (one for one in found if one.endswith("?") and len(one.split()) > 1)
    begun = (one for one in found if patterns.asking.question.search(flat(one)) is not None)
    chosen = next(marked, None) or next(begun, None)
    start = -1 if chosen is None else query.find(chosen)
    return None if chosen is None or start < 0 else (chosen, start)


def _asks(text: str, patterns: QueryPatterns) -> bool:
    asking = patterns.asking
    if asking.question.search(text) is not None:
        return True
    return asking.sought.search(text) is not None and len(text.split()) <= FEW_WORDS


def _unmasked(text: str, small: str, patterns: QueryPatterns) -> str:
    """Return the text without what only looks like a time, each character in its place."""
    clear = patterns.times.masked.sub(lambda match: "·" * len(match[0]), small)
    return text if clear == small else clear


def direction(small: str, patterns: QueryPatterns) -> Preference:
    """Say where a time lies that could lie either way: back, unless the words of the question look ahead."""
    times = patterns.times
    back = times.behind.search(small) is not None or times.usual.search(small) is not None
    return "future" if times.ahead.search(small) is not None and not back else "past"


def _core(rest: str, patterns: QueryPatterns) -> str:
    core = patterns.asking.closing.sub("", rest, count=1)
    for _ in range(_MOST_OPENINGS):
        bare = patterns.asking.wrapper.sub("", patterns.asking.opening.sub("", core, count=1), count=1)
        if bare == core:
            break
        core = bare
    return core.strip(_EDGES)
