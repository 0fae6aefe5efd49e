"""What was counted over the last messages of a user."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TopicCount:
    """How often a topic came up, and how that felt.

    Attributes:
        name: of the topic.
        messages: that are about it.
        valence: the mean of theirs, in [-1, 1].
    """

    name: str
    messages: int
    valence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Counts over the last messages that a user has said, of which there are `messages`.

    Attributes:
        messages: how many.
        lengths: lower quartile, median and upper quartile of their characters.
        lately: the median of the last third of them.
        earlier: the median of the others.
        parts_of_day: how many were said in the morning, afternoon, evening and night of the user's zone.
        formal: how many hold words of distance, and none of familiarity.
        informal: how many hold words of familiarity, and none of distance.
        emoji: how many hold one.
        questions: how many ask something.
        sessions: in how many stretches without half an hour of silence they were said.
        days: on how many days in the user's zone.
        span_days: how many days there are from the first to the last, both included.
        topics: those that came up most often.
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
