"""The signals that ranking profiles use, and the computation of some of them."""

import datetime as dt
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import EventTime

DAY_SECONDS = 86_400.0
TEMPORAL_SCALE_DAYS = 7.0
KEY_TOPIC_SIMILARITY = 0.7
_KEY_TOPIC_BOOST = {"high": 1.5, "medium": 1.2}

Column = NDArray[np.float64] | float
"""A signal of many candidates, float64 [n], or of one."""


BY_MEANING = frozenset({"semantic", "window", "session", "reply"})
"""Signals that are nothing while the embedding model is away."""
NEARNESS = BY_MEANING | {"has_vector_score", "fused", "bm25", "bm25_window", "session_bm25", "name_overlap"}
"""Signals that compare the memory with the question; equal for all where the question only names a time."""


class Signals(NamedTuple):
    """The signals of candidates for one query, a column each; the defaults are those of an unknown.

    Profiles calculate with whole columns, so that ranking hundreds costs little more than ranking one.

    Attributes:
        semantic: max(0, cosine) of query and memory, alone or in its window, whichever is closer, [0, 1].
        bm25: of the memory's words, as a share of the best of the query, [0, 1].
        fused: both, fused, [0, 1].
        temporal: [0, 1], see `temporal_relevance`.
        importance: [0, 1].
        valence: [-1, 1].
        arousal: [0, 1].
        access_count: how often it was recalled, >= 0.
        age_days: days since it was said, >= 0.
        decay_factor: [0, 1].
        confidence: [0, 1].
        trust: 0-5.
        token_count: >= 0.
        key_topic_boost: 1, 1.2 or 1.5, see `key_topic_boost`.
        own_words: 1 for messages of users or of people in the question, 0 for those of assistants.
        window: max(0, cosine) of query and window: the memory in the light of the turn before, [0, 1].
        bm25_window: of the words of the window, as a share of the best of the query, [0, 1].
        session: mean of the (at most three) closest windows of the session that it was said in, [0, 1].
        session_bm25: the largest `bm25_window` in that session, [0, 1].
        reply: how close the question is which the memory answers, [0, 1]; 0 where it follows no question.
        speaker: 0 when the query names speakers, and the memory is of another; else 1.
        dated: 1 when the query asks when, and the memory contains the time of an event.
        asks: 1 when the memory asks something itself.
        congruence: how far the feelings of query and memory agree, [0, 1].
        importance_gained: what use has added of the importance, [0, 1].
        has_vector_score: 0 where the embedding model was away, so that nothing is known of meaning; else 1.
        is_bare_predicate: how likely the question asks for nothing but a predicate ("where do I live?"), so
            that its own words say little of what answers it, [0, 1].
        example_similarity: that times max(0, cosine) of the memory with example statements that answer the
            question, [0, 1]; 0 for the words of an assistant.
        example_bm25: the same by words, as a share of the best, [0, 1].
        name_overlap: the share of the names in the question, but for speakers, that the memory holds, [0, 1].
        type_match: how far the memory is of the sort that is asked for: a procedure, a feeling, [0, 1].
        evidence: 1 when a fact that is asked for rests on the memory; else 0.
        connection: how firmly the memory is connected with the best ones: by a shared name or rare word, as
            the turn before or after, by nearness or by a fact, [0, 1].
        foreign: 1 when the memory is in another language than the query; else 0.
        assumed: 1 where `NEARNESS` was set to the same for all candidates and not measured; else 0.
    """

    semantic: Column = 0.0
    bm25: Column = 0.0
    fused: Column = 0.0
    temporal: Column = 0.0
    importance: Column = 0.0
    valence: Column = 0.0
    arousal: Column = 0.0
    access_count: Column = 0.0
    age_days: Column = 0.0
    decay_factor: Column = 1.0
    confidence: Column = 1.0
    trust: Column = 0.0
    token_count: Column = 0.0
    key_topic_boost: Column = 1.0
    own_words: Column = 1.0
    window: Column = 0.0
    bm25_window: Column = 0.0
    session: Column = 0.0
    session_bm25: Column = 0.0
    reply: Column = 0.0
    speaker: Column = 1.0
    dated: Column = 0.0
    asks: Column = 0.0
    congruence: Column = 0.0
    importance_gained: Column = 0.0
    has_vector_score: Column = 1.0
    is_bare_predicate: Column = 0.0
    example_similarity: Column = 0.0
    example_bm25: Column = 0.0
    name_overlap: Column = 0.0
    type_match: Column = 0.0
    evidence: Column = 0.0
    connection: Column = 0.0
    foreign: Column = 0.0
    assumed: Column = 0.0

    def of(self, at: int) -> "Signals":
        """Return the signals of one candidate, as plain numbers."""
        return Signals(*(float(one[at]) if isinstance(one, np.ndarray) else one for one in self))

    def numbers(self) -> dict[str, float]:
        """Return the signals of one candidate by name, only those that were measured."""
        if self == Signals():
            return {}
        hidden = NEARNESS if self.assumed else BY_MEANING if not self.has_vector_score else frozenset()
        found = zip(self._fields, self, strict=True)
        return {name: float(value) for name, value in found if name != "assumed" and name not in hidden}


class RankingProfile(ABC):
    """A scoring function.

    Attributes:
        drops_distant: whether candidates below `Minimums` are dropped before scoring.
        relevance_floor: the score below which a memory is hardly relevant; 0 where such are no candidates.
        by_meaning: whether the score uses cosines, which compare within one embedding model only.
    """

    drops_distant: ClassVar[bool] = True
    relevance_floor: ClassVar[float] = 0.0
    by_meaning: ClassVar[bool] = True

    @abstractmethod
    def score(self, signals: Signals) -> Column:
        """Return the scores: higher is better, comparable within one query only."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A time span `[start, end)`; both aware."""

    start: dt.datetime
    end: dt.datetime


def temporal_relevance(
    asked: Interval | None, created_at: dt.datetime, event_times: Iterable[EventTime]
) -> float:
    """Return how well a memory fits a time span.

    1 inside the span, e^(-d/7) at d days from its nearest end, 0 without a span. The memory's own instant or
    one of its event times counts, whichever is nearest.
    """
    if asked is None:
        return 0.0
    said = _distance_days(asked, created_at, created_at)
    days = min((_distance_days(asked, one.start, one.end) for one in event_times), default=said)
    days = min(days, said)
    return math.exp(-days / TEMPORAL_SCALE_DAYS)


def _distance_days(asked: Interval, start: dt.datetime, end: dt.datetime) -> float:
    if end < asked.start:
        return (asked.start - end).total_seconds() / DAY_SECONDS
    if start >= asked.end:
        return (start - asked.end).total_seconds() / DAY_SECONDS
    return 0.0


def key_topic_boost(similarities: Iterable[tuple[str, float]]) -> float:
    """Return the largest boost of a summary's key topics: 1.5 for high, 1.2 for medium, else 1.

    Args:
        similarities: of each key topic, its importance ("high", "medium", "low") and its cosine to the query;
            more than 0.7 is a match.
    """
    boosts = (
        _KEY_TOPIC_BOOST.get(importance, 1.0)
        for importance, similarity in similarities
        if similarity > KEY_TOPIC_SIMILARITY
    )
    return max(boosts, default=1.0)
