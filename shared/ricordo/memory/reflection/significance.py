"""Statistical tests of co-occurrence, so that chance is not taken for a habit.

Days are counted, not messages: one long talk is no habit. A day adds at most one to each of four cells (both,
first only, second only, neither).
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TypeVar

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class ContingencyTable:
    """A 2x2 contingency table, in days.

    Attributes:
        both: days on which a message has both.
        first: cells with the first, with or without the second.
        second: cells with the second.
    """

    both: int
    first: int
    second: int
    cells: int

    @property
    def share(self) -> float:
        """P(second | first)."""
        return self.both / self.first if self.first else 0.0

    @property
    def lift(self) -> float:
        """Observed over expected co-occurrence."""
        expected = self.first * self.second / self.cells if self.cells else 0.0
        return self.both / expected if expected else 0.0

    @property
    def probability(self) -> float:
        """The p-value of Fisher's exact test: the upper tail of the hypergeometric distribution."""
        return self._tail(self.both)

    @property
    def least_probability(self) -> float:
        """The p-value if they co-occurred as often as they can."""
        return self._tail(min(self.first, self.second))

    def _tail(self, least: int) -> float:
        tail = sum(
            comb(self.second, both) * comb(self.cells - self.second, self.first - both)
            for both in range(least, min(self.first, self.second) + 1)
        )
        return tail / comb(self.cells, self.first)


def contingency_table(
    days: Mapping[dt.date, int], first: Mapping[dt.date, int], second: Mapping[dt.date, int]
) -> ContingencyTable:
    """Count the cells.

    Args:
        days: the messages of each day, as the bits of a number.
        first, second: those that have it; days without are left out.
    """
    both = only_first = only_second = neither = 0
    for day, every in days.items():
        one, other = first.get(day, 0), second.get(day, 0)
        both += one & other != 0
        only_first += one & ~other != 0
        only_second += other & ~one != 0
        neither += every & ~(one | other) != 0
    return ContingencyTable(
        both, both + only_first, both + only_second, both + only_first + only_second + neither
    )


def select_significant(probabilities: Mapping[Name, float], tested: int, rate: float) -> Mapping[Name, float]:
    """Return the significant findings with adjusted p-values (Benjamini & Hochberg 1995).

    Args:
        tested: number of tests, those without a finding included.
        rate: the false discovery rate.
    """
    ranked = sorted(probabilities, key=probabilities.__getitem__)
    adjusted: dict[Name, float] = {}
    least = 1.0
    for rank in range(len(ranked), 0, -1):
        name = ranked[rank - 1]
        least = min(least, probabilities[name] * tested / rank)
        adjusted[name] = least
    return {name: adjusted[name] for name in ranked if adjusted[name] <= rate}


def count_testable(least_probabilities: Iterable[float], rate: float) -> int:
    """Return the number of pairs that could be significant at all (Tarone 1990)."""
    ordered = sorted(least_probabilities)
    return next((tests for tests in range(1, len(ordered)) if ordered[tests] > rate / tests), len(ordered))


def by_day(days: Sequence[dt.date], having: Iterable[int]) -> dict[dt.date, int]:
    """Return the messages among `having` (places in `days`) by day, as the bits of a number."""
    found: dict[dt.date, int] = {}
    for place in having:
        found[days[place]] = found.get(days[place], 0) | 1 << place
    return found
