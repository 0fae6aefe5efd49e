"""Finds associations in what a user said: people, topics, feelings and times that go together.

Statistical tests keep chance from being taken for a habit. Days are counted, not messages: one long talk is
no habit.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb
from typing import Final, TypeVar

from ricordo.memory.reflection.observations import (
    FAMILIES,
    PLEASANT,
    UNPLEASANT,
    Feature,
    Observation,
    label_of,
)

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


LEAST_DAYS: Final = 4
"""The fewest days with a feature, and with both of a pair."""

_RATE: Final = 0.01
"""The false discovery rate per kind of pair."""

_OFTEN: Final = 0.4  # of the talk about a thing, for a person who comes up often in it
_MOSTLY: Final = 0.6
_LIFT: Final = 1.25
_GROWN: Final = 0.7  # of the days on which a thing came up, those in the later half
_TESTED: Final = (
    (("who",), "what"),
    (("who", "what"), "felt"),
    (("who", "what"), "late"),
    (("who", "what"), "when"),
    (("felt",), "late"),
    (("felt",), "when"),
)
Pair = tuple[Feature, Feature]

_COARSE: Final = frozenset({PLEASANT, UNPLEASANT})


class Regularity(StrEnum):
    """The kinds of insights, most telling first."""

    COMPANY = "company"
    """A person comes up with a topic."""
    RISING = "rising"
    """A person or topic comes up more and more."""
    WHEN = "when"
    """A person or topic comes up at certain times."""
    FEELING = "feeling"
    """A person or topic comes with a feeling."""
    MOOD = "mood"
    """A feeling comes at certain times, or grows."""


_OF: Final = {
    "what": Regularity.COMPANY,
    "felt": Regularity.FEELING,
    "late": Regularity.RISING,
    "when": Regularity.WHEN,
}


@dataclass(frozen=True, slots=True)
class Association:
    """Two features that co-occur significantly.

    Attributes:
        first, second: of `COMPANY` the person and the topic; else the subject, and the feeling or the time.
        observations: messages with both, oldest first.
        probability: adjusted p-value.
        feeling: the majority label of `observations`, "" for none; of `FEELING`, the one that it is about.
        steadily: of `RISING`, whether it came up before as well.
    """

    regularity: Regularity
    first: Feature
    second: Feature
    observations: tuple[Observation, ...]
    days: int
    probability: float
    feeling: str = ""
    steadily: bool = False


def find_associations(observations: Sequence[Observation]) -> tuple[Association, ...]:
    """Return the significant associations of one user, surest first; `observations` are oldest first."""
    seen = _ObservationIndex(observations)
    found = [
        seen.pattern(first, second, chance)
        for kinds in _TESTED
        for (first, second), chance in _sure(dict(seen.tables(kinds))).items()
    ]
    return tuple(sorted(found, key=lambda one: (one.probability, -one.days, one.first, one.second)))


def _sure(tables: Mapping[Pair, ContingencyTable]) -> Mapping[Pair, float]:
    likely = {
        pair: found.probability
        for pair, found in tables.items()
        if found.both >= LEAST_DAYS and _tells(pair, found)
    }
    tested = count_testable((one.least_probability for one in tables.values()), _RATE)
    return select_significant(likely, tested, _RATE)


def _tells(pair: Pair, found: ContingencyTable) -> bool:
    """Whether the effect is large enough to be mentioned."""
    if found.lift < _LIFT:
        return False
    kind = pair[1].kind
    if kind == "what":
        return found.both >= _OFTEN * found.second
    return found.share >= (_GROWN if kind == "late" else _MOSTLY)


class _ObservationIndex:
    def __init__(self, observations: Sequence[Observation]) -> None:
        self._observations = observations
        self._days = [one.day for one in observations]
        self._every = by_day(self._days, range(len(observations)))
        places: dict[Feature, list[int]] = {}
        for place, one in enumerate(observations):
            for feature in one.features:
                places.setdefault(feature, []).append(place)
        self._places = {feature: frozenset(found) for feature, found in places.items()}
        bits = {feature: by_day(self._days, found) for feature, found in places.items()}
        self._bits: Mapping[Feature, Mapping[dt.date, int]] = {
            feature: found for feature, found in bits.items() if len(found) >= LEAST_DAYS
        }

    def tables(self, kinds: tuple[tuple[str, ...], str]) -> Iterator[tuple[Pair, ContingencyTable]]:
        """Yield the pairs of these kinds with their tables."""
        firsts, seconds = kinds
        for first in sorted(self._bits):
            for second in sorted(self._bits):
                if first.kind in firsts and second.kind == seconds:
                    yield (
                        (first, second),
                        contingency_table(self._every, self._bits[first], self._bits[second]),
                    )

    def pattern(self, first: Feature, second: Feature, probability: float) -> Association:
        together = [self._observations[place] for place in sorted(self._places[first] & self._places[second])]
        regularity = Regularity.MOOD if first.kind == "felt" else _OF[second.kind]
        return Association(
            regularity,
            first,
            second,
            tuple(together),
            len({one.day for one in together}),
            probability,
            _label(first if first.kind == "felt" else second, together),
            steadily=self._is_steady(first),
        )

    def _is_steady(self, feature: Feature) -> bool:
        """Whether its share of days grows from each third of the time to the next."""
        every = sorted(self._every)
        third = max(1, len(every) // 3)
        parts = (every[:third], every[third : 2 * third], every[2 * third :])
        had = self._bits[feature]
        shares = [sum(day in had for day in part) / max(1, len(part)) for part in parts]
        return 0 < shares[0] < shares[1] < shares[2]


def _label(about: Feature, together: Sequence[Observation]) -> str:
    family = about.key if about.kind == "felt" else _mostly(together)
    if family in FAMILIES:
        return label_of(family, (one.memory.emotion for one in together))
    return family


def _mostly(together: Sequence[Observation]) -> str:
    """Return the feeling of most days, a family rather than a tone; "" for none."""
    days = {one.day for one in together}
    had: dict[str, set[dt.date]] = {}
    messages: dict[str, int] = {}
    for one in together:
        for feature in one.features:
            if feature.kind == "felt":
                had.setdefault(feature.key, set()).add(one.day)
                messages[feature.key] = messages.get(feature.key, 0) + 1
    enough = [
        name
        for name, on in had.items()
        if len(on) >= max(LEAST_DAYS - 1, _MOSTLY * len(days)) and messages[name] >= _MOSTLY * len(together)
    ]
    return max(enough, key=lambda name: (name not in _COARSE, len(had[name]), name), default="")
