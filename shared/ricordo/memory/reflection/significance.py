"""What chance alone would bring together, so that nothing is said that may well be chance.

Counted are days, not messages: one long talk about a thing is no habit. A day gives at most one to each of
four cells (both, the one, the other, neither), and the cells of all days are the table that is tested.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TypeVar

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class ContingencyTable:
    """How often two things go together, in days.

    Attributes:
        both: days on which a message has both.
        first: cells that have the first, with or without the second.
        second: cells that have the second.
        cells: all of them.
    """

    both: int
    first: int
    second: int
    cells: int

    @property
    def share(self) -> float:
        """Of what has the first, the share that has the second."""
        return self.both / self.first if self.first else 0.0

    @property
    def lift(self) -> float:
        """How many times as often both go together as chance would have it."""
        expected = self.first * self.second / self.cells if self.cells else 0.0
        return self.both / expected if expected else 0.0

    @property
    def probability(self) -> float:
        """That chance brings at least as many together: the tail of the hypergeometric distribution."""
        return self._tail(self.both)

    @property
    def least_probability(self) -> float:
        """The probability if they went together as often as they can."""
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
    """Count cells.

    Args:
        days: of each day, its messages as the bits of a number.
        first, second: of each day, those that have it; days without are left out.
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
    """Return what is no chance, after Benjamini & Hochberg (1995), with its adjusted probability.

    Args:
        probabilities: of each finding.
        tested: how many were looked for, those included that were not found.
        rate: of the findings returned, the share that may be chance; in data without any regularity, the
            probability that anything is returned.
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
    """Return among how many findings chance may choose, after Tarone (1990).

    What could not be beyond chance even if it always went together is not looked for.

    Args:
        least_probabilities: of each pair.
        rate: see `select_significant`.
    """
    ordered = sorted(least_probabilities)
    return next((tests for tests in range(1, len(ordered)) if ordered[tests] > rate / tests), len(ordered))


def by_day(days: Sequence[dt.date], having: Iterable[int]) -> dict[dt.date, int]:
    """Return, of each day, its messages among `having` (places in `days`) as the bits of a number."""
    found: dict[dt.date, int] = {}
    for place in having:
        found[days[place]] = found.get(days[place], 0) | 1 << place
    return found
