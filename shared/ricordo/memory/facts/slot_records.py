"""The periods of one slot, with an undo log and change tracking."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.value_periods import Value, ValuePeriod

MOST_FITTED: Final = 32
"""Periods of a slot that a dated one is fitted to: those of the latest values."""

PeriodRef = tuple[Value, int]
"""A period by its value, and its number among those of this value, from 0."""

Undo = tuple[tuple[Callable[..., object], object, object], ...]
"""The changes of a row: setter, key and former value."""

K = TypeVar("K")
V = TypeVar("V")


class SlotRecord:
    """The periods of one slot, the current one, and its challenges."""

    __slots__ = ("_begun", "_challenges", "_current", "_former", "_periods", "_undo")

    def __init__(self) -> None:
        self._periods: dict[Value, list[ValuePeriod]] = {}
        self._begun: dict[Evidence, int] = {}  # by what began them, the numbers of all periods but the first
        self._current: PeriodRef | None = None
        self._challenges: dict[Value | None, ValuePeriod] = {}
        self._undo: list[tuple[Callable[..., object], object, object]] = []
        self._former: dict[PeriodRef, ValuePeriod | None] = {}

    def take_undo(self) -> Undo:
        """Return the undo of all changes since the last call."""
        undo, self._undo = tuple(self._undo), []
        return undo

    def take_back(self, undo: Undo) -> None:
        """Undo the latest changes."""
        for write, key, former in reversed(undo):
            write(self, key, former)

    def take_changes(self) -> Mapping[PeriodRef, ValuePeriod | None]:
        """Return the periods that changed since the last call; None for those removed."""
        former, self._former = self._former, {}
        return {place: now for place, before in former.items() if (now := self.shown(place)) != before}

    @property
    def current(self) -> PeriodRef | None:
        """The period that holds."""
        return self._current

    def shown(self, place: PeriodRef) -> ValuePeriod | None:
        """Return a period; after those that have begun, a disputed challenge counts as one."""
        value, nth = place
        periods = self._periods.get(value, ())
        if nth < len(periods):
            return periods[nth]
        challenge = self._challenges.get(value)
        return None if challenge is None or nth > len(periods) else challenge.unheld(disputed=True)

    def all_shown(self) -> Iterator[tuple[PeriodRef, ValuePeriod]]:
        """Yield all periods, and disputed challenges."""
        for value in self._periods.keys() | self._challenges.keys():
            nth = 0
            while value is not None and (period := self.shown((value, nth))) is not None:
                yield (value, nth), period
                nth += 1

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
        self._do(SlotRecord._set_period, place, period)

    def join(self, place: PeriodRef, later: Sequence[PeriodRef]) -> None:
        """Merge `later` periods, the last of their value, into the one at `place`."""
        joined = self.at(place).joined([self.at(one) for one in later])
        for one in reversed(later):
            first = self.at(one).first
            self._do(SlotRecord._set_period, one, None)
            self._do(SlotRecord._set_begun, first, place[1])
        self.put(place, joined)

    def hold(self, place: PeriodRef | None) -> None:
        """Set the current period."""
        self._do(SlotRecord._set_current, None, place)

    def challenge(self, value: Value | None, challenge: ValuePeriod | None) -> None:
        """Set or remove the challenge for `value`."""
        self._do(SlotRecord._set_challenge, value, challenge)

    def _do(self, write: Callable[["SlotRecord", K, V | None], V | None], key: K, new: V | None) -> None:
        self._undo.append((write, key, write(self, key, new)))

    def _set_period(self, place: PeriodRef, new: ValuePeriod | None) -> ValuePeriod | None:
        """Replace, append or remove the last period of a value; return the former one."""
        value, nth = place
        periods = self._periods.setdefault(value, [])
        self._tell(place)
        former = periods[nth] if nth < len(periods) else None
        if former is None or new is None:
            self._tell((value, nth + 1))  # where a challenge moves to, or from
        if new is None:
            self._begun.pop(periods.pop().first, None)
            if not periods:
                del self._periods[value]  # the values stand in the order in which they came
        elif former is None:
            periods.append(new)
            if nth:
                self._begun[new.first] = nth
        else:
            periods[nth] = new
        return former

    def _set_begun(self, first: Evidence, nth: int | None) -> int | None:
        former = self._begun.pop(first, None)
        if nth is not None:
            self._begun[first] = nth
        return former

    def _set_challenge(self, value: Value | None, new: ValuePeriod | None) -> ValuePeriod | None:
        if value is not None:
            self._tell(self.next_of(value))
        former = self._challenges.pop(value, None)
        if new is not None:
            self._challenges[value] = new
        return former

    def _set_current(self, _: None, new: PeriodRef | None) -> PeriodRef | None:
        former, self._current = self._current, new
        return former

    def _tell(self, place: PeriodRef) -> None:
        """Remember what stood at a place before its first change."""
        if place not in self._former:
            self._former[place] = self.shown(place)
