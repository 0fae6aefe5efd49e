"""How a user writes: habits with a confidence, computed from counts over their last messages."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    found = (each for habit in _HABITS for each in habit(talk))
    return tuple(one for one in found if one.confidence >= LEAST_CONFIDENCE)


def _length(talk: StyleCounts) -> Iterator[Habit]:
    """The more alike the messages are in length, the higher the confidence."""
    low, median, high = talk.lengths
    spread = (high - low) / (high + low) if high + low > 0 else 0.0
    value: dict[str, object] = {"characters": round(median), "are": _size(median), "lately": _trend(talk)}
    yield Habit("length", value, _sure(talk.messages, 10) * (1 - 0.5 * spread), talk.messages)


def _size(characters: float) -> str:
    if characters <= SHORT:
        return "short"
    return "long" if characters >= LONG else "medium"


def _trend(talk: StyleCounts) -> str:
    if talk.lately > _CHANGED * talk.earlier:
        return "longer"
    return "shorter" if talk.earlier > _CHANGED * talk.lately else "as before"


def _liked(talk: StyleCounts) -> Iterator[Habit]:
    yield from _topics("topics_liked", talk.topics, lambda felt: felt >= _FELT)


def _avoided(talk: StyleCounts) -> Iterator[Habit]:
    yield from _topics("topics_avoided", talk.topics, lambda felt: felt <= -_FELT)


def _topics(name: str, topics: Sequence[TopicCount], chosen: Callable[[float], bool]) -> Iterator[Habit]:
    found = [one for one in topics if one.messages >= _LEAST_MENTIONS and chosen(_felt(one))]
    found.sort(key=lambda one: (-one.messages * abs(_felt(one)), one.name))
    if not found:
        return
    kept = found[:_MOST_TOPICS]
    value = [{"topic": one.name, "messages": one.messages, "valence": round(one.valence, 2)} for one in kept]
    most = max(one.messages for one in kept)
    yield Habit(name, value, _sure(most, _LEAST_MENTIONS), sum(one.messages for one in kept))


def _felt(topic: TopicCount) -> float:
    """Return the valence, shrunk by two more messages without feeling."""
    return topic.valence * topic.messages / (topic.messages + 2)


def _time_of_day(talk: StyleCounts) -> Iterator[Habit]:
    said = sum(talk.parts_of_day.values())
    if said < LEAST_MESSAGES:
        return
    most = max(talk.parts_of_day.values())
    shares = {part: round(count / said, 2) for part, count in talk.parts_of_day.items() if count}
    yield Habit("time_of_day", shares, _at_least(most, said), said)


def _formality(talk: StyleCounts) -> Iterator[Habit]:
    marked = talk.formal + talk.informal
    if not marked:
        return
    register, count = max(("formal", talk.formal), ("informal", talk.informal), key=lambda each: each[1])
    value: dict[str, object] = {
        "register": register,
        "share": round(count / marked, 2),
        "emoji": round(talk.emoji / talk.messages, 2),
    }
    yield Habit("formality", value, _at_least(count, marked), marked)


def _engagement(talk: StyleCounts) -> Iterator[Habit]:
    if talk.sessions < 1 or talk.span_days < 1:
        return
    value: dict[str, object] = {
        "questions": round(talk.questions / talk.messages, 2),
        "messages_a_session": round(talk.messages / talk.sessions, 1),
        "sessions": talk.sessions,
        "days": round(min(1.0, talk.days / talk.span_days), 2),
    }
    yield Habit("engagement", value, _sure(talk.sessions, 3), talk.messages)


_HABITS: Final = (_length, _liked, _avoided, _time_of_day, _formality, _engagement)


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
