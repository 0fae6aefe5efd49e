"""How long to wait before the next try."""

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with jitter.

    Attributes:
        first: seconds after the first failure, > 0.
        factor: growth per further failure, >= 1.
        longest: seconds at most, before jitter.
        jitter: share in [0, 1] by which a delay is shortened at most, so that those who failed together do
            not come back together.
        chance: where jitter comes from: a number in [0, 1).
    """

    first: float = 1.0
    factor: float = 2.0
    longest: float = 60.0
    jitter: float = 0.3
    chance: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if self.first <= 0 or self.factor < 1 or self.longest < self.first or not 0 <= self.jitter <= 1:
            raise ValueError(f"no sensible backoff: {self}")

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after the `attempt`-th failure (from 1): at least a millisecond."""
        exponent = min(max(attempt, 1) - 1, 64)
        delay = min(self.first * self.factor**exponent, self.longest)
        return max(delay * (1 - self.jitter * self.chance()), 0.001)
