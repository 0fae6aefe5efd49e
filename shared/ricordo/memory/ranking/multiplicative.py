"""The profile `multiplicative`: signals boost or fade the meaning, and what matters never fades away."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ricordo.memory.importance import meaningfulness
from ricordo.memory.ranking.signals import INSTRUCTING, Column, Signals, held_back

MAX_MEANINGFULNESS = 5
MAX_TRUST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiplicative:
    """Score = semantic · (1 + 0.5 m/5) · recency · confidence · (1 + 0.2 trust/5) · key topic boost.

    m is importance on the scale 1-5 and recency max(e^(-0.02 days), 0.2 + 0.7 (m - 1)/4): after 90 days what
    is trivial keeps 0.2 of its score, what is profound 0.9.
    """

    drops_distant: ClassVar[bool] = True
    hardly: ClassVar[float] = 0.0
    by_meaning: ClassVar[bool] = True

    meaning: float = 0.5
    decay_rate: float = 0.02
    trust: float = 0.2
    floor: float = 0.2
    floor_span: float = 0.7
    instructing: float = INSTRUCTING

    def recency(self, age_days: Column, importance: Column) -> Column:
        """Return how much a memory of `age_days` days and stored `importance` [0, 1] keeps, in (0, 1]."""
        lowest = self.floor + self.floor_span * (meaningfulness(importance) - 1) / (MAX_MEANINGFULNESS - 1)
        return np.maximum(np.exp(-self.decay_rate * age_days), lowest)

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate, >= 0."""
        meaning = 1 + self.meaning * meaningfulness(signals.importance) / MAX_MEANINGFULNESS
        trust = 1 + self.trust * signals.trust / MAX_TRUST
        recency = self.recency(signals.age_days, signals.importance)
        score = signals.semantic * meaning * recency * signals.confidence * trust * signals.key_topic_boost
        return held_back(score, signals, self.instructing)
