"""Finds associations in what a user said: people, topics, feelings and times that go together.

Statistical tests keep chance from being taken for a habit. Days are counted, not messages: one long talk is
no habit.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import comb
from typing import Final, Self

from ricordo.memory.reflection.observations import (
    FAMILIES,
    PLEASANT,
    UNPLEASANT,
    Feature,
    Observation,
    label_of,
)

LEAST_DAYS: Final = 4
"""The fewest days with a feature, and with both of a pair."""

_RATE: Final = 0.01
"""The probability of a finding by chance, per kind of pair."""

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
        probability: that it is chance, as often as was tested.
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


@dataclass(frozen=True, slots=True)
class ContingencyTable:
    """On how many days a message has both features, the first, the second; and the sum of all four cells."""

    both: int
    first: int
    second: int
    cells: int

    @classmethod
    def counted(cls, days: Sequence[dt.date], first: AbstractSet[int], second: AbstractSet[int]) -> Self:
        """Count the days of the messages that have features, by their places in `days`."""
        parts = first & second, first - second, second - first, {*range(len(days))} - first - second
        both, mine, others, neither = (len({days[place] for place in part}) for part in parts)
        return cls(both, both + mine, both + others, both + mine + others + neither)

    @property
    def share(self) -> float:
        """P(second | first)."""
        return self.both / self.first

    @property
    def lift(self) -> float:
        """Observed over expected co-occurrence."""
        return self.both * self.cells / (self.first * self.second)

    def probability(self, least: int | None = None) -> float:
        """Return the p-value of Fisher's exact test, of `least` days or more with both or as many as seen."""
        ways = sum(
            comb(self.second, both) * comb(self.cells - self.second, self.first - both)
            for both in range(self.both if least is None else least, min(self.first, self.second) + 1)
        )
        return ways / comb(self.cells, self.first)


def find_associations(observations: Sequence[Observation]) -> tuple[Association, ...]:
    """Return the significant associations of one user, surest first; `observations` are oldest first."""
    days = [one.day for one in observations]
    places: dict[Feature, set[int]] = {}
    for place, one in enumerate(observations):
        for feature in one.features:
            places.setdefault(feature, set()).add(place)
    having = {
        feature: places[feature]
        for feature in sorted(places)
        if len({days[place] for place in places[feature]}) >= LEAST_DAYS
    }
    found: list[Association] = []
    for firsts, kind in _TESTED:
        tables = {
            (first, second): ContingencyTable.counted(days, having[first], having[second])
            for first, second in product(having, having)
            if first.kind in firsts and second.kind == kind
        }
        tests = count_testable(table.probability(min(table.first, table.second)) for table in tables.values())
        for (first, second), table in tables.items():
            chance = tests * table.probability()
            if table.both >= LEAST_DAYS and chance <= _RATE and _tells(kind, table):
                together = [observations[place] for place in sorted(having[first] & having[second])]
                steadily = _is_steady({days[place] for place in having[first]}, sorted({*days}))
                found.append(_association(first, second, together, chance, steadily=steadily))
    return tuple(sorted(found, key=lambda one: (one.probability, -one.days, one.first, one.second)))


def count_testable(least_probabilities: Iterable[float]) -> int:
    """Return the number of pairs that could be significant at all (Tarone 1990)."""
    ordered = sorted(least_probabilities)
    return next((tests for tests in range(1, len(ordered)) if ordered[tests] > _RATE / tests), len(ordered))


def _tells(kind: str, found: ContingencyTable) -> bool:
    """Whether the effect is large enough to be mentioned."""
    if found.lift < _LIFT:
        return False
    if kind == "what":
        return found.both >= _OFTEN * found.second
    return found.share >= (_GROWN if kind == "late" else _MOSTLY)


def _association(
    first: Feature, second: Feature, together: Sequence[Observation], chance: float, *, steadily: bool
) -> Association:
    is_mood = first.kind == "felt"
    regularity = Regularity.MOOD if is_mood else _OF[second.kind]
    feeling = _label(first if is_mood else second, together)
    days = len({one.day for one in together})
    return Association(regularity, first, second, tuple(together), days, chance, feeling, steadily)


def _is_steady(had: set[dt.date], days: Sequence[dt.date]) -> bool:
    """Whether a feature's share of days grows from each third of the time to the next."""
    third = max(1, len(days) // 3)
    parts = (days[:third], days[third : 2 * third], days[2 * third :])
    shares = [len(had.intersection(part)) / max(1, len(part)) for part in parts]
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
