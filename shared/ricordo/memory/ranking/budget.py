"""The profile `budget`: what a memory is worth in a prompt, minus what it costs there."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from ricordo.memory.importance import rating_of_ten
from ricordo.memory.ranking.signals import INSTRUCTING, Column, Signals, held_back

ALWAYS_FROM = 7.0
ROOM_FROM = 4.0


class Admission(StrEnum):
    """When a memory of a budget score enters a context."""

    ALWAYS = "always"
    IF_ROOM = "if_room"
    ON_REQUEST = "on_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Score = 0.3 recency + 0.2 frequency + 0.4 importance - 0.1 tokens/500, at most 9.

    recency = 10 - min(10, days/30), frequency = min(10, uses/5), importance on the scale 1-10.
    """

    drops_distant: ClassVar[bool] = True
    hardly: ClassVar[float] = 0.0
    by_meaning: ClassVar[bool] = False

    recency: float = 0.3
    frequency: float = 0.2
    importance: float = 0.4
    cost: float = 0.1
    instructing: float = INSTRUCTING

    def score(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        worth = self.worth(signals.age_days, signals.access_count, signals.importance, signals.token_count)
        return held_back(worth, signals, self.instructing)

    def worth(self, age_days: Column, uses: Column, importance: Column, tokens: Column) -> Column:
        """Return the score of memories that so much is known of; see `Signals` for units."""
        return (
            self.recency * (10 - np.minimum(10.0, age_days / 30))
            + self.frequency * np.minimum(10.0, uses / 5)
            + self.importance * rating_of_ten(importance)
            - self.cost * tokens / 500
        )


def admission(score: float) -> Admission:
    """Say when a memory of this budget score enters a context: from 7 always, from 4 if there is room."""
    if score >= ALWAYS_FROM:
        return Admission.ALWAYS
    return Admission.IF_ROOM if score >= ROOM_FROM else Admission.ON_REQUEST
