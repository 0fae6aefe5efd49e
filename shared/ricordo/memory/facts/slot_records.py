"""The periods of one slot while it is folded."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.value_periods import Value, ValuePeriod

MOST_FITTED: Final = 32
"""Periods of a slot that a dated one is fitted to: those of the latest values."""

PeriodRef = tuple[Value, int]
"""A period by its value, and its number among those of this value, from 0."""


class SlotRecord:
    """The periods of one slot, the current one, and its challenges.

    Attributes:
        changes: how often anything was changed.
    """

    __slots__ = ("_begun", "_challenges", "_current", "_periods", "changes")

    def __init__(self) -> None:
        self._periods: dict[Value, list[ValuePeriod]] = {}
        self._begun: dict[Evidence, int] = {}  # by what began them, the numbers of all periods but the first
        self._current: PeriodRef | None = None
        self._challenges: dict[Value | None, ValuePeriod] = {}
        self.changes = 0

    @property
    def current(self) -> PeriodRef | None:
        """The period that holds."""
        return self._current

    def all_shown(self) -> Iterator[tuple[PeriodRef, ValuePeriod]]:
        """Yield all periods; after those of its value, a disputed challenge counts as one."""
        for value, periods in self._periods.items():
            for nth, period in enumerate(periods):
                yield (value, nth), period
        for challenged, challenge in self._challenges.items():
            if challenged is not None:
                yield self.next_of(challenged), challenge.unheld(disputed=True)

    def place_of(self, value: Value, first: Evidence) -> PeriodRef:
        """Return the period of `value` that `first` began, possibly as a part of another one.

        A challenge has the next place.
        """
        if (nth := self._begun.get(first)) is not None:
            return value, nth
        began_first = any(period.first is first for period in self._periods.get(value, ())[:1])
        return (value, 0) if began_first else self.next_of(value)

    def others(self, place: PeriodRef) -> list[PeriodRef]:
        """Return the other periods in which something held, at most `MOST_FITTED`."""
        held = ((value, nth) for value in reversed(self._periods) for nth, _ in self.numbered(value))
        return [other for other in islice(held, MOST_FITTED) if other != place]

    def numbered(self, value: Value) -> Iterator[tuple[int, ValuePeriod]]:
        """Yield the numbered periods of a value in which it held, latest first."""
        periods = self._periods.get(value, ())
        for nth in reversed(range(len(periods))):
            if periods[nth].held:
                yield nth, periods[nth]

    def never_held(self, value: Value) -> list[PeriodRef]:
        """Return the latest periods of `value` that never held, in order."""
        periods = self._periods.get(value, ())
        since = next((nth + 1 for nth, _ in self.numbered(value)), 0)
        return [(value, nth) for nth in range(since, len(periods))]

    @property
    def challenges(self) -> Mapping[Value | None, ValuePeriod]:
        """What contradicts the current period, by the value claimed instead."""
        return self._challenges

    def next_of(self, value: Value) -> PeriodRef:
        """Return the place of the next period of `value`."""
        return value, len(self._periods.get(value, ()))

    def at(self, place: PeriodRef) -> ValuePeriod:
        """Return a period that has begun."""
        return self._periods[place[0]][place[1]]

    def put(self, place: PeriodRef, period: ValuePeriod) -> None:
        """Replace a period, or append one."""
        self.changes += 1
        value, nth = place
        periods = self._periods.setdefault(value, [])
        if nth < len(periods):
            periods[nth] = period
            return
        periods.append(period)
        if nth:
            self._begun[period.first] = nth

    def join(self, place: PeriodRef, later: Sequence[PeriodRef]) -> None:
        """Merge `later` periods, the last of their value, into the one at `place`."""
        joined = self.at(place).joined([self.at(one) for one in later])
        for one in later:
            self._begun[self.at(one).first] = place[1]
        del self._periods[place[0]][later[0][1] :]
        self.put(place, joined)

    def hold(self, place: PeriodRef | None) -> None:
        """Set the current period."""
        self.changes += 1
        self._current = place

    def challenge(self, value: Value | None, challenge: ValuePeriod | None) -> None:
        """Set or remove the challenge for `value`."""
        self.changes += 1
        self._challenges.pop(value, None)
        if challenge is not None:
            self._challenges[value] = challenge
