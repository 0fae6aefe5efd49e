"""How a user writes: habits with a confidence, computed from counts over their last messages."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.memory.context.syntax import phrase


@dataclass(frozen=True, slots=True)
class TopicCount:
    """How many messages are about a topic, and their mean valence in [-1, 1]."""

    name: str
    messages: int
    valence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleCounts:
    """Counts over the last messages of a user.

    Attributes:
        lengths: lower quartile, median and upper quartile of their characters.
        lately: the median of the last third of them.
        earlier: the median of the others.
        parts_of_day: messages by part of the day, in the user's zone.
        sessions: stretches without half an hour of silence.
        days: distinct days, in the user's zone.
        span_days: days from the first to the last, both included.
    """

    messages: int = 0
    lengths: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lately: float = 0.0
    earlier: float = 0.0
    parts_of_day: Mapping[str, int] = field(default_factory=dict)
    formal: int = 0
    informal: int = 0
    emoji: int = 0
    questions: int = 0
    sessions: int = 0
    days: int = 0
    span_days: int = 0
    topics: Sequence[TopicCount] = ()


LEAST_MESSAGES: Final = 10
"""The fewest messages that make a habit."""
LEAST_CONFIDENCE: Final = 0.5
"""Less certain habits are not returned."""
SHORT: Final = 60
LONG: Final = 300
"""Characters of short and of long messages."""
_CHANGED: Final = 1.5  # times as long, or as short
_LEAST_MENTIONS: Final = 3
_FELT: Final = 0.2  # the valence, drawn towards 0, from which a topic is liked
_MOST_TOPICS: Final = 5
_Z: Final = 1.645  # one-sided 95 %


@dataclass(frozen=True, slots=True)
class Habit:
    """A habit of writing.

    Attributes:
        name: `length`, `topics_liked`, `topics_avoided`, `time_of_day`, `formality` or `engagement`.
        value: JSON.
        confidence: [0, 1], by how many messages it rests on and how clear they are.
        count: of these messages.
    """

    name: str
    value: Mapping[str, object] | Sequence[object]
    confidence: float
    count: int


def find_habits(talk: StyleCounts) -> tuple[Habit, ...]:
    """Return the habits that the counts support, in the order of their names above."""
    if talk.messages < LEAST_MESSAGES:
        return ()
    return tuple(habit for habit in _habits(talk) if habit.confidence >= LEAST_CONFIDENCE)


def _habits(talk: StyleCounts) -> Iterator[Habit]:
    yield _length(talk)
    yield from _topics("topics_liked", talk.topics, 1)
    yield from _topics("topics_avoided", talk.topics, -1)
    if (said := sum(talk.parts_of_day.values())) >= LEAST_MESSAGES:
        shares = {part: round(count / said, 2) for part, count in talk.parts_of_day.items() if count}
        yield Habit("time_of_day", shares, _at_least(max(talk.parts_of_day.values()), said), said)
    if marked := talk.formal + talk.informal:
        count = max(talk.formal, talk.informal)
        register = {
            "register": "formal" if count == talk.formal else "informal",
            "share": round(count / marked, 2),
            "emoji": round(talk.emoji / talk.messages, 2),
        }
        yield Habit("formality", register, _at_least(count, marked), marked)
    if talk.sessions and talk.span_days:
        engagement = {
            "questions": round(talk.questions / talk.messages, 2),
            "messages_a_session": round(talk.messages / talk.sessions, 1),
            "sessions": talk.sessions,
            "days": round(min(1.0, talk.days / talk.span_days), 2),
        }
        yield Habit("engagement", engagement, _sure(talk.sessions, 3), talk.messages)


def _length(talk: StyleCounts) -> Habit:
    """Return how long messages are: the more alike they are, the surer."""
    low, median, high = talk.lengths
    spread = (high - low) / (high + low) if high + low > 0 else 0.0
    size = "short" if median <= SHORT else "long" if median >= LONG else "medium"
    longer, shorter = talk.lately > _CHANGED * talk.earlier, talk.earlier > _CHANGED * talk.lately
    lately = "longer" if longer else "shorter" if shorter else "as before"
    value = {"characters": round(median), "are": size, "lately": lately}
    return Habit("length", value, _sure(talk.messages, 10) * (1 - 0.5 * spread), talk.messages)


def _topics(name: str, topics: Sequence[TopicCount], sign: int) -> Iterator[Habit]:
    def felt(topic: TopicCount) -> float:  # the valence, shrunk by two more messages without feeling
        return sign * topic.valence * topic.messages / (topic.messages + 2)

    found = [one for one in topics if one.messages >= _LEAST_MENTIONS and felt(one) >= _FELT]
    kept = sorted(found, key=lambda one: (-one.messages * felt(one), one.name))[:_MOST_TOPICS]
    if kept:
        value = [
            {"topic": one.name, "messages": one.messages, "valence": round(one.valence, 2)} for one in kept
        ]
        most, count = max(one.messages for one in kept), sum(one.messages for one in kept)
        yield Habit(name, value, _sure(most, _LEAST_MENTIONS), count)


def _sure(count: int, half: int) -> float:
    return count / (count + half)


def _at_least(count: int, of: int) -> float:
    """Return the lower end of Wilson's interval for a share (one-sided, 95 %)."""
    share, z2 = count / of, _Z**2
    centre = share + z2 / (2 * of)
    reach = _Z * math.sqrt(share * (1 - share) / of + z2 / (4 * of**2))
    return max(0.0, min(1.0, (centre - reach) / (1 + z2 / of)))


@dataclass(frozen=True, slots=True)
class RegisterPatterns:
    """Regular expressions of PostgreSQL, for texts in any case."""

    formal: str
    informal: str
    emoji: str


@lru_cache(maxsize=1)
def register_patterns() -> RegisterPatterns:
    """Return the patterns of the address forms of all languages, read once."""
    tables = [read_table("address_forms", language) for language in LANGUAGES]
    formal, informal = (
        rf"\m(?:{'|'.join(word for table in tables for word in table[name].split())})\M"
        for name in ("formal", "informal")
    )
    return RegisterPatterns(formal, informal, "[\u2600-\u27bf\U0001f300-\U0001faff]")


CLEAR: Final = 0.6
"""The confidence from which on a habit is mentioned in a prompt."""


def describe_habits(patterns: Sequence[Habit], language: str) -> str:
    """Describe in one line the length, register and times of a user's messages; empty if nothing is clear."""
    clear = {one.name: one.value for one in patterns if one.confidence >= CLEAR}
    parts = [phrase(language, name) for name in _names(clear)]
    return phrase(language, "habits", how=", ".join(parts)) if parts else ""


def _names(clear: Mapping[str, object]) -> Iterator[str]:
    length, formality, times = (clear.get(name) for name in ("length", "formality", "time_of_day"))
    if isinstance(length, Mapping) and length["are"] in {"short", "long"}:
        yield f"habits_{length['are']}"
    if isinstance(formality, Mapping):
        yield f"habits_{formality['register']}"
    if isinstance(times, Mapping):
        yield f"habits_{max(times, key=lambda part: times[part])}"
