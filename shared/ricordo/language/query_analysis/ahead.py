"""Questions about what is to come: "what have I got on next Tuesday?", "what's coming up?"."""

from datetime import datetime
from typing import Final

from ricordo.language.query_analysis.intents import Reading, at_large
from ricordo.language.query_analysis.model import TimeFilter
from ricordo.language.query_analysis.reading import direction
from ricordo.language.temporal import LATEST, TimeSpan
from ricordo.language.text import stop_words
from ricordo.language.tokenization import content_words

_MOST_WORDS: Final = 10  # of a question that asks for nothing but what is to come


def lists_ahead(reading: Reading, span: TimeSpan, now: datetime) -> bool:
    """Whether a question with a time asks for whatever is to come then.

    Args:
        reading: the question.
        span: the time that it names.
        now: the moment of asking, aware.
    """
    if span.through <= now or reading.entities or not _looks_ahead(reading):
        return False
    return at_large(reading) or _asks_for_no_more(reading)


def to_come(reading: Reading, now: datetime) -> TimeFilter | None:
    """Return the time that begins now, where a question asks for what is to come without saying when."""
    found = reading.patterns.times.upcoming.search(reading.sentence.flat)
    if found is None or reading.entities or not (_looks_ahead(reading) and _asks_for_no_more(reading)):
        return None
    words = reading.sentence.text[slice(*found.span())]
    return TimeFilter("relative", words, now, LATEST, LATEST, strict=False, ahead=True)


def _looks_ahead(reading: Reading) -> bool:
    return direction(reading.sentence.flat, reading.patterns) == "future"


def _asks_for_no_more(reading: Reading) -> bool:
    """Whether all its words but those of the time ask for whatever is to come."""
    said = content_words(reading.sentence.core, reading.language)
    common = reading.patterns.times.listing | stop_words(reading.language)
    return len(said) <= _MOST_WORDS and all(word in common for word in said)
