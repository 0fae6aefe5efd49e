"""The analysis of a query by rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ricordo.domain.analysis.languages import PATTERNS
from ricordo.domain.analysis.languages.patterns import QueryPatterns
from ricordo.domain.analysis.model import Analysis, EmotionFilter, Intent, TimeFilter
from ricordo.domain.analysis.names import names
from ricordo.domain.analysis.topics import semantic_query, topic_phrase, topics_of, without_time
from ricordo.domain.language import detect
from ricordo.domain.temporal import Language, TimeSpan, resolve

_MOST_READ = 2_000  # characters in which a query says what it asks for


def analyse(
    query: str, *, now: datetime, zone: ZoneInfo, language: str | None = None, known_names: Iterable[str] = ()
) -> Analysis:
    """Find out what `query` asks for.

    Args:
        query: Any text; what it asks for is looked for in its first 2,000 characters.
        now: The moment of asking, aware.
        zone: The user's zone.
        language: "it" or "en"; found out when None, and English rules apply to any other.
        known_names: Names that the user's memories know; matched in any case of letters.

    Raises:
        ValueError: `now` is naive.
    """
    spoken = language if language is not None else detect(query)
    rules: Language = "it" if spoken.lower().startswith("it") else "en"
    head = query[:_MOST_READ]
    time = resolve(head, now, zone, rules, prefer="past")
    reading = _read(head, time, rules, known_names)
    intent = _intent(reading)
    return Analysis(
        intent=intent,
        time=_time_filter(reading, intent),
        entities=reading.entities,
        topics=_topics(reading, intent),
        emotion_filter=_emotion(reading) if intent == "emotional" else None,
        memory_types=("procedural",) if intent == "procedural" else (),
        semantic_query=semantic_query(query, time, reading.patterns),
        archive=reading.patterns.archive.search(head) is not None,
        fallback=None,
        analyser="rules",
        language=rules,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A query and what was found in it."""

    query: str
    time: TimeSpan | None
    patterns: QueryPatterns
    language: Language
    entities: tuple[str, ...]
    known: frozenset[str]
    about: str | None

    @property
    def asks(self) -> bool:
        """Whether it is a question or a request, not something told."""
        return "?" in self.query or self.patterns.question.search(self.query) is not None


def _read(query: str, time: TimeSpan | None, language: Language, known_names: Iterable[str]) -> _Reading:
    patterns = PATTERNS[language]
    known = frozenset(known_names)
    return _Reading(
        query=query,
        time=time,
        patterns=patterns,
        language=language,
        entities=names(query, known, time, patterns, language),
        known=known,
        about=topic_phrase(query, time, patterns),
    )


def _intent(reading: _Reading) -> Intent:
    """Choose the intent; what is asked in the most particular way decides first."""
    patterns, query = reading.patterns, reading.query
    if patterns.greeting.search(query) is not None:
        return "general"
    if patterns.procedural.search(query) is not None:
        return "procedural"
    if _asks_feelings(reading):
        return "emotional"
    if _asks_when(reading):
        return "temporal"
    return _subject(reading)


def _asks_feelings(reading: _Reading) -> bool:
    """Whether the speakers' own feelings are asked for; what Maria likes is a question about Maria."""
    patterns, query = reading.patterns, reading.query
    if reading.entities or not reading.asks or patterns.personal.search(query) is None:
        return False
    return any(pattern.search(query) for pattern in (patterns.positive, patterns.negative, patterns.feeling))


def _asks_when(reading: _Reading) -> bool:
    """Whether the time is what the question turns on."""
    if reading.time is None:
        return False
    if _nothing_but_time(reading):
        return True
    if not reading.asks:
        return False
    happened = reading.patterns.happened.search(reading.query) is not None
    if not happened or _attached(reading):
        return False
    return not reading.entities or reading.patterns.speakers.search(reading.query) is not None


def _nothing_but_time(reading: _Reading) -> bool:
    rest = without_time(reading.query, reading.time, reading.patterns)
    left = reading.patterns.scaffolding.sub("", rest, count=1)
    return not any(c.isalnum() for c in left)


def _at_large(reading: _Reading) -> bool:
    """Whether the question is what happened, and names nobody and nothing that it happened to."""
    rest = without_time(reading.query, reading.time, reading.patterns)
    return reading.patterns.at_large.search(rest) is not None


def _attached(reading: _Reading) -> bool:
    """Whether the time belongs to a thing ("the trip of May", "last week's meeting"), not to the deed."""
    if reading.time is None:
        return False
    before, behind = reading.query[: reading.time.span[0]], reading.query[reading.time.span[1] :]
    patterns = reading.patterns
    return (
        patterns.attached_before.search(before) is not None
        or patterns.attached_behind.search(behind) is not None
    )


def _subject(reading: _Reading) -> Intent:
    """Tell a question about someone from one about something."""
    named = [name for name in reading.entities if name in reading.known or not name.isupper()]
    if reading.patterns.knows.search(reading.query) is not None and reading.about is not None:
        subject = reading.about.casefold()
        return "entity" if any(name.casefold() in subject for name in named) else "topic"
    if reading.entities:
        return "entity"
    return "topic" if reading.about is not None and reading.asks else "general"


def _topics(reading: _Reading, intent: Intent) -> tuple[str, ...]:
    if reading.about is None or intent in {"general", "procedural", "emotional"} or not reading.asks:
        return ()
    about = reading.about.casefold()
    if any(name.casefold() == about and intent == "entity" for name in reading.entities):
        return ()
    return topics_of(reading.about, reading.language)


def _emotion(reading: _Reading) -> EmotionFilter | None:
    if reading.patterns.negative.search(reading.query) is not None:
        return "negative"
    return "positive" if reading.patterns.positive.search(reading.query) is not None else None


def _time_filter(reading: _Reading, intent: Intent) -> TimeFilter | None:
    span = reading.time
    if span is None:
        return None
    strict = intent == "temporal" and _filters(reading, span)
    # A filter never cuts off a day that was named: "from the 3rd to the 5th" ends with the 5th.
    end = span.through if strict else span.end
    return TimeFilter(span.type, span.reference, span.start, end, strict)


def _filters(reading: _Reading, span: TimeSpan) -> bool:
    """Whether nothing outside of the time can be an answer: it says when the speakers did or said something.

    A time that only points at a neighbourhood ("two months ago") does not filter. One that is told by the
    calendar does so only for what the speakers did or said together: of what one did alone, they talk later.
    """
    if span.approximate:
        return False
    if _nothing_but_time(reading) or _at_large(reading):
        return span.type == "relative"
    if reading.patterns.speakers.search(reading.query) is None:
        return False
    return span.type == "relative" or reading.patterns.together.search(reading.query) is not None
