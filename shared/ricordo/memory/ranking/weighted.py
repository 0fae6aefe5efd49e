"""The profile `weighted`: a weighted sum of relevance, time, weight and use, faded by decay."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ricordo.memory.ranking.signals import INSTRUCTING, Column, Signals, held_back

ACCESSES_AT_FULL = 10
RECENT_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """Score = (0.35 semantic + 0.25 temporal + 0.15 importance + 0.10 |valence|·arousal
    + 0.10 min(1, accesses/10) + 0.05 max(0, 1 - days/30)) · decay factor, in [0, 1] with these weights.
    """  # noqa: D205 - the formula is the summary

    drops_distant: ClassVar[bool] = True
    hardly: ClassVar[float] = 0.0
    by_meaning: ClassVar[bool] = True

    semantic: float = 0.35
    temporal: float = 0.25
    importance: float = 0.15
    emotion: float = 0.10
    access: float = 0.10
    recency: float = 0.05
    instructing: float = INSTRUCTING

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
        return held_back(total * signals.decay_factor, signals, self.instructing)


def used(signals: Signals) -> Column:
    """Return how much a memory is used: min(1, accesses/10)."""
    return np.minimum(1.0, signals.access_count / ACCESSES_AT_FULL)


def recent(signals: Signals) -> Column:
    """Return how recent a memory is: max(0, 1 - days/30)."""
    return np.maximum(0.0, 1.0 - signals.age_days / RECENT_DAYS)
