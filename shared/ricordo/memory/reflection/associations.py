"""What goes with what in a life: whom and what the user speaks of, how they feel about it, and when."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ricordo.memory.reflection.observations import (
    FAMILIES,
    PLEASANT,
    UNPLEASANT,
    Feature,
    Observation,
    label_of,
)
from ricordo.memory.reflection.significance import (
    ContingencyTable,
    by_day,
    contingency_table,
    count_testable,
    select_significant,
)

LEAST_DAYS: Final = 4
"""Days on which a thing must have come up, and on which two must have come up together."""

_RATE: Final = 0.01
"""Of histories without any regularity, the share in which a kind of it may be found all the same."""

_OFTEN: Final = 0.4  # of the talk about a thing, for somebody who comes up often in it
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
    """What an insight says, those first that say most."""

    COMPANY = "company"
    """Somebody comes up when the user speaks of something."""
    RISING = "rising"
    """What the user speaks of more and more."""
    WHEN = "when"
    """At what times the user speaks of somebody or something."""
    FEELING = "feeling"
    """How the user speaks of somebody or something."""
    MOOD = "mood"
    """A feeling that belongs to certain times, or grows."""


_OF: Final = {
    "what": Regularity.COMPANY,
    "felt": Regularity.FEELING,
    "late": Regularity.RISING,
    "when": Regularity.WHEN,
}


@dataclass(frozen=True, slots=True)
class Association:
    """Two things that go together more often than chance would have it.

    Attributes:
        regularity: what may be said of it.
        first, second: of company, the person and the topic; else the subject, and the feeling or the time.
        observations: what it rests on, oldest first: messages that have both.
        days: on how many days.
        probability: that it is chance, adjusted for all that was looked for.
        feeling: the label that most of `observations` have; "" where there is none. Of `FEELING` the one that
            it is about.
        steadily: of what is rising, whether it came up before as well.
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
    """Return what is beyond chance in what one user said, the surest first.

    Args:
        observations: oldest first.
    """
    seen = _Seen(observations)
    found = [
        seen.pattern(first, second, chance)
        for kinds in _TESTED
        for (first, second), chance in _sure(dict(seen.tables(kinds))).items()
    ]
    return tuple(sorted(found, key=lambda one: (one.probability, -one.days, one.first, one.second)))


def _sure(tables: Mapping[Pair, ContingencyTable]) -> Mapping[Pair, float]:
    """Return the pairs that are beyond chance, each with its adjusted probability."""
    likely = {
        pair: found.probability
        for pair, found in tables.items()
        if found.both >= LEAST_DAYS and _tells(pair, found)
    }
    tested = count_testable((one.least_probability for one in tables.values()), _RATE)
    return select_significant(likely, tested, _RATE)


def _tells(pair: Pair, found: ContingencyTable) -> bool:
    """Whether it goes together often enough to be said, chance or not."""
    if found.lift < _LIFT:
        return False
    kind = pair[1].kind
    if kind == "what":
        return found.both >= _OFTEN * found.second
    return found.share >= (_GROWN if kind == "late" else _MOSTLY)


class _Seen:
    """What was observed, by what it has.

    Args:
        observations: oldest first.
    """

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
        """Yield each pair of these kinds that is looked for."""
        firsts, seconds = kinds
        for first in sorted(self._bits):
            for second in sorted(self._bits):
                if first.kind in firsts and second.kind == seconds:
                    yield (
                        (first, second),
                        contingency_table(self._every, self._bits[first], self._bits[second]),
                    )

    def pattern(self, first: Feature, second: Feature, probability: float) -> Association:
        """Return what goes together, with what it rests on."""
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
        """Whether it came up in each third of the days, and in each more often than in the one before."""
        every = sorted(self._every)
        third = max(1, len(every) // 3)
        parts = (every[:third], every[third : 2 * third], every[2 * third :])
        had = self._bits[feature]
        shares = [sum(day in had for day in part) / max(1, len(part)) for part in parts]
        return 0 < shares[0] < shares[1] < shares[2]


def _label(about: Feature, together: Sequence[Observation]) -> str:
    """Return the feeling that is spoken of, or that most of what goes together has."""
    family = about.key if about.kind == "felt" else _mostly(together)
    if family in FAMILIES:
        return label_of(family, (one.memory.emotion for one in together))
    return family


def _mostly(together: Sequence[Observation]) -> str:
    """Return the feeling that was had on most of the days, a family rather than a mere tone; or nothing."""
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
