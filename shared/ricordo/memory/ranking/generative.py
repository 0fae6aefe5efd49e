"""The profile `generative`: relevance, recency and importance, as Generative Agents (Park et al. 2023)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ricordo.memory.ranking.signals import INSTRUCTING, Column, Signals, held_back


@dataclass(frozen=True, slots=True, kw_only=True)
class Generative:
    """Score = 0.5 relevance + 0.3 e^(-days/50) + 0.2 importance, in [0, 1] with these weights."""

    drops_distant: ClassVar[bool] = True
    hardly: ClassVar[float] = 0.0
    by_meaning: ClassVar[bool] = True

    relevance: float = 0.5
    recency: float = 0.3
    importance: float = 0.2
    days: float = 50.0
    instructing: float = INSTRUCTING

    def __post_init__(self) -> None:
        """Refuse a memory that fades within no time.

        Raises:
            ValueError: `days` is not positive.
        """
        if self.days <= 0:
            raise ValueError("the days of the ranking profile 'generative' must be above 0")

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        score = (
            self.relevance * signals.semantic
            + self.recency * np.exp(-signals.age_days / self.days)
            + self.importance * signals.importance
        )
        return held_back(score, signals, self.instructing)
