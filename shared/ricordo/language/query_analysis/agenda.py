"""Questions about what is to come: "what have I got on next Tuesday?", "what's coming up?"."""

from datetime import datetime
from typing import Final

from ricordo.language.query_analysis.analysis import TimeFilter
from ricordo.language.query_analysis.intents import asks_whole_time
from ricordo.language.query_analysis.question_sentence import ParsedQuestion, time_direction
from ricordo.language.temporal import LATEST, TimeSpan
from ricordo.language.text import stop_words
from ricordo.language.tokenization import content_words

_MOST_WORDS: Final = 10  # of a question that asks for nothing but what is to come


def asks_agenda(question: ParsedQuestion, span: TimeSpan, now: datetime) -> bool:
    """Whether a question with a time asks for whatever is to come then.

    Args:
        question: parsed.
        span: the time that it names.
        now: the moment of asking, aware.
    """
    if span.through <= now or question.entities or not _looks_ahead(question):
        return False
    return asks_whole_time(question) or _asks_nothing_else(question)


def upcoming_time(question: ParsedQuestion, now: datetime) -> TimeFilter | None:
    """Return the time from now on, where a question asks for what is to come without saying when."""
    found = question.patterns.upcoming.search(question.sentence.flat)
    if found is None or question.entities or not (_looks_ahead(question) and _asks_nothing_else(question)):
        return None
    words = question.sentence.text[slice(*found.span())]
    return TimeFilter("relative", words, now, LATEST, LATEST, strict=False, ahead=True)


def _looks_ahead(question: ParsedQuestion) -> bool:
    return time_direction(question.sentence.flat, question.patterns) == "future"


def _asks_nothing_else(question: ParsedQuestion) -> bool:
    """Whether all words but those of the time ask for whatever is to come."""
    words = content_words(question.sentence.core, question.language)
    common = question.patterns.agenda_words | stop_words(question.language)
    return len(words) <= _MOST_WORDS and all(word in common for word in words)
