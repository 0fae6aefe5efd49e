"""The profiles with a fixed formula: `weighted`, `multiplicative`, `generative` and `budget`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from ricordo.memory.importance import meaningfulness, rating_of_ten
from ricordo.memory.ranking.signals import Column, RankingProfile, Signals

ACCESSES_AT_FULL = 10
RECENT_DAYS = 30
MAX_MEANINGFULNESS = 5
MAX_TRUST = 5


@dataclass(frozen=True, kw_only=True)
class FixedProfile(RankingProfile):
    """A profile with a fixed formula; its weights are its fields."""

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights by name."""
        return asdict(self)

    def weighing(self, changes: Mapping[str, float]) -> Self:
        """Return the profile with changed weights."""
        return replace(self, **changes)


@dataclass(frozen=True, kw_only=True)
class WeightedProfile(FixedProfile):
    """Score = (0.35 semantic + 0.25 temporal + 0.15 importance + 0.10 |valence|·arousal
    + 0.10 min(1, accesses/10) + 0.05 max(0, 1 - days/30)) · decay factor, in [0, 1] with these weights.
    """  # noqa: D205 - the formula is the summary

    semantic: float = 0.35
    temporal: float = 0.25
    importance: float = 0.15
    emotion: float = 0.10
    access: float = 0.10
    recency: float = 0.05

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        total = (
            self.semantic * signals.semantic
            + self.temporal * signals.temporal
            + self.importance * signals.importance
            + self.emotion * np.abs(signals.valence) * signals.arousal
            + self.access * used(signals)
            + self.recency * recent(signals)
        )
        return total * signals.decay_factor


def used(signals: Signals) -> Column:
    """Return min(1, accesses/10)."""
    return np.minimum(1.0, signals.access_count / ACCESSES_AT_FULL)


def recent(signals: Signals) -> Column:
    """Return max(0, 1 - days/30)."""
    return np.maximum(0.0, 1.0 - signals.age_days / RECENT_DAYS)


@dataclass(frozen=True, kw_only=True)
class MultiplicativeProfile(FixedProfile):
    """Score = semantic · (1 + 0.5 m/5) · recency · confidence · (1 + 0.2 trust/5) · key topic boost.

    m is importance on the scale 1-5 and recency max(e^(-0.02 days), 0.2 + 0.7 (m - 1)/4): after 90 days a
    trivial memory keeps 0.2 of its score, a profound one 0.9.
    """

    meaning: float = 0.5
    decay_rate: float = 0.02
    trust: float = 0.2
    floor: float = 0.2
    floor_span: float = 0.7

    def recency(self, age_days: Column, importance: Column) -> Column:
        """Return the share kept at `age_days` with stored `importance` [0, 1], in (0, 1]."""
        lowest = self.floor + self.floor_span * (meaningfulness(importance) - 1) / (MAX_MEANINGFULNESS - 1)
        return np.maximum(np.exp(-self.decay_rate * age_days), lowest)

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        meaning = 1 + self.meaning * meaningfulness(signals.importance) / MAX_MEANINGFULNESS
        trust = 1 + self.trust * signals.trust / MAX_TRUST
        recency = self.recency(signals.age_days, signals.importance)
        return signals.semantic * meaning * recency * signals.confidence * trust * signals.key_topic_boost


@dataclass(frozen=True, kw_only=True)
class GenerativeProfile(FixedProfile):
    """Score = 0.5 relevance + 0.3 e^(-days/50) + 0.2 importance, in [0, 1] with these weights.

    After Generative Agents (Park et al. 2023).
    """

    relevance: float = 0.5
    recency: float = 0.3
    importance: float = 0.2
    days: float = 50.0

    def __post_init__(self) -> None:
        if self.days <= 0:
            raise ValueError("the days of the ranking profile 'generative' must be above 0")

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        return (
            self.relevance * signals.semantic
            + self.recency * np.exp(-signals.age_days / self.days)
            + self.importance * signals.importance
        )


ALWAYS_FROM = 7.0
ROOM_FROM = 4.0


class ContextAdmission(StrEnum):
    """When a memory of a budget score enters a context."""

    ALWAYS = "always"
    IF_ROOM = "if_room"
    ON_REQUEST = "on_request"


@dataclass(frozen=True, kw_only=True)
class BudgetProfile(FixedProfile):
    """Score = 0.3 recency + 0.2 frequency + 0.4 importance - 0.1 tokens/500, at most 9.

    recency = 10 - min(10, days/30), frequency = min(10, uses/5), importance on the scale 1-10.
    """

    by_meaning: ClassVar[bool] = False

    recency: float = 0.3
    frequency: float = 0.2
    importance: float = 0.4
    cost: float = 0.1

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        return (
            self.recency * (10 - np.minimum(10.0, signals.age_days / 30))
            + self.frequency * np.minimum(10.0, signals.access_count / 5)
            + self.importance * rating_of_ten(signals.importance)
            - self.cost * signals.token_count / 500
        )


def admission(score: float) -> ContextAdmission:
    """Return the admission for a budget score: from 7 always, from 4 if there is room."""
    if score >= ALWAYS_FROM:
        return ContextAdmission.ALWAYS
    return ContextAdmission.IF_ROOM if score >= ROOM_FROM else ContextAdmission.ON_REQUEST
