"""The profile `generative`: relevance, recency and importance, as Generative Agents (Park et al. 2023)."""

import math
from dataclasses import dataclass
from typing import ClassVar

from ricordo.domain.ranking.signals import Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Generative:
    """Score = 0.5 relevance + 0.3 e^(-days/50) + 0.2 importance, in [0, 1] with these weights."""

    drops_distant: ClassVar[bool] = True

    relevance: float = 0.5
    recency: float = 0.3
    importance: float = 0.2
    days: float = 50.0

    def score(self, signals: Signals) -> float:
        """Return the score of a candidate."""
        return (
            self.relevance * signals.semantic
            + self.recency * math.exp(-signals.age_days / self.days)
            + self.importance * signals.importance
        )
