"""The profile `human`: relevance first; time, feeling, weight and use break ties among the relevant."""

from dataclasses import dataclass
from typing import ClassVar

from ricordo.domain.ranking.signals import Signals
from ricordo.domain.ranking.weighted import ACCESSES_AT_FULL, RECENT_DAYS

SUBSTANCE = 0.5
"""The importance from which on a turn speaks for itself; what says nothing has some 0.22."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Human:
    """A linear model over the signals. These weights are a prior set by hand, not fitted to anything yet.

    Score = 0.45 semantic + 0.35 words + 0.10 temporal + 0.04 importance + 0.02 |valence|·arousal
    + 0.02 decay factor + 0.01 min(1, accesses/10) + 0.01 max(0, 1 - days/30), in [0, 1]; words is BM25 as a
    share of the best of the query. All that is not relevance adds up to less than a clear difference in it.
    What others than the user said counts for 0.85 of that, and for less, down to 0.5, where it hardly matters
    in itself (an importance below 0.5): the assistant's "And your arms?" is found for the turn that it
    answers, through the window of both, and says nothing of its own.
    """

    drops_distant: ClassVar[bool] = False

    semantic: float = 0.45
    words: float = 0.35
    temporal: float = 0.10
    importance: float = 0.04
    emotion: float = 0.02
    strength: float = 0.02
    access: float = 0.01
    recency: float = 0.01
    others: float = 0.85
    others_idle: float = 0.5

    def score(self, signals: Signals) -> float:
        """Return the score of a candidate."""
        total = (
            self.semantic * signals.semantic
            + self.words * signals.bm25
            + self.temporal * signals.temporal
            + self.importance * signals.importance
            + self.emotion * abs(signals.valence) * signals.arousal
            + self.strength * signals.decay_factor
            + self.access * min(1.0, signals.access_count / ACCESSES_AT_FULL)
            + self.recency * max(0.0, 1.0 - signals.age_days / RECENT_DAYS)
        )
        others = self.others_idle + (self.others - self.others_idle) * min(
            1.0, signals.importance / SUBSTANCE
        )
        return total * (others + (1 - others) * signals.own_words)
