"""How evidence moves one slot of knowledge: values begin, are reinforced, disputed, superseded and settled.

A slot is what statements compete for: the single value of a functional predicate, or whether one statement of
a multi-valued predicate is true. Its periods are the values it has held, in the order in which they began.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, TypeVar

from ricordo.domain.facts.evidence import Evidence
from ricordo.domain.facts.firmness import withstands
from ricordo.domain.facts.periods import Period, Value

MOST_FITTED: Final = 32
"""Periods of a slot with which one that tells its times is fitted: those of the values that came last."""

Place = tuple[Value, int]
"""A period by its value, and its number among those of this value, from 0."""

Undo = tuple[tuple[Callable[..., object], object, object], ...]
"""What takes a row back: what was changed by what, which, and what it was before."""

K = TypeVar("K")
V = TypeVar("V")


class Slot:
    """The history of one slot; evidence is applied in time order, and taken back in the opposite one.

    Attributes:
        supported: the row that began the period which the last row supports or confirms; None if none.
        ended: the period that the last row ended; None if none.
    """

    __slots__ = ("_challenges", "_current", "_periods", "_told", "_undo", "ended", "supported")

    def __init__(self) -> None:
        self.supported: Evidence | None = None
        self.ended: Place | None = None
        self._periods: dict[Value, list[Period]] = {}
        self._current: Place | None = None
        self._challenges: dict[Value | None, Period] = {}
        self._undo: list[tuple[Callable[..., object], object, object]] = []
        self._told: dict[Place, Period | None] = {}

    def apply(self, row: Evidence, value: Value) -> Undo:
        """Let `row` speak for, against or of the end of `value`; returns what it takes to take that back.

        Of a row that says nothing here that is nothing.
        """
        self._undo, self.supported, self.ended = [], None, None
        if row.kind != "said":
            self._settle(row, value)
        elif row.polarity == "denied":
            self._deny(row, value)
        elif row.polarity == "past" or row.valid_to is not None:
            self._ended(row, value)
        else:
            self._holds(row, value)
        return tuple(self._undo)

    def take_back(self, undo: Undo) -> None:
        """Take back the row that was applied last of those that still are: `undo` is its own."""
        for write, key, former in reversed(undo):
            write(self, key, former)

    def take_news(self) -> Mapping[Place, Period | None]:
        """Return the periods that have become others since this was last asked; None for what is no more."""
        told, self._told = self._told, {}
        return {place: now for place, before in told.items() if (now := self.shown(place)) != before}

    @property
    def current(self) -> Place | None:
        """The period that holds."""
        return self._current

    def shown(self, place: Place) -> Period | None:
        """Return a period; after those that have begun, what is still disputed stands as history."""
        value, nth = place
        periods = self._periods.get(value, ())
        if nth < len(periods):
            return periods[nth]
        challenge = self._challenges.get(value)
        return None if challenge is None or nth > len(periods) else challenge.unheld(disputed=True)

    def all_shown(self) -> Iterator[tuple[Place, Period]]:
        """Yield all periods, and what is still disputed."""
        for value in self._periods.keys() | self._challenges.keys():
            nth = 0
            while value is not None and (period := self.shown((value, nth))) is not None:
                yield (value, nth), period
                nth += 1

    def place_of(self, value: Value, first: Evidence) -> Place:
        """Return the place of the period of `value` that `first` began."""
        periods = self._periods.get(value, ())
        for nth in reversed(range(len(periods))):
            if periods[nth].first is first:
                return value, nth
        return value, len(periods)

    def _holds(self, row: Evidence, value: Value) -> None:
        place = self._current
        if (over := self._begun_before(row, value)) is not None:
            self._support(over, row)
        elif place is None:
            self._begin(self._noted(Period.begun(row, value)))
        elif place[0] == value:
            self._support(place, row)
            self._reaffirm(place)
        elif self._precedes(row, place):
            self._append(self._noted(Period.past(row, value, self._at(place).valid_from or row.at)))
        else:
            self._contradict(place, row, value)

    def _ended(self, row: Evidence, value: Value) -> None:
        place = self._current
        if place is not None and place[0] == value and not self._at(place).is_after(row):
            self._contradict(place, row, None)
        elif (over := self._spoken_of(row, value)) is not None:
            self._support(over, row)
        else:
            current = None if place is None else self._at(place)
            before = row.at if current is None or current.valid_from is None else current.valid_from
            self._append(self._noted(Period.past(row, value, row.valid_to or min(row.at, before))))

    def _deny(self, row: Evidence, value: Value) -> None:
        """Let `row` speak against `value` where it holds; of what nobody has said it says nothing."""
        place = self._current
        if place is not None and place[0] == value and not self._at(place).is_after(row):
            self._contradict(place, row, None)

    def _begun_before(self, row: Evidence, value: Value) -> Place | None:
        """Return the period that is over of which `row` tells the beginning, as by its time it must."""
        if row.valid_from is None:
            return None
        over = (
            (value, nth)
            for nth, period in self._numbered(value)
            if period.closed and period.valid_to is not None and row.valid_from < period.valid_to
        )
        return next(over, None)

    def _precedes(self, row: Evidence, current: Place) -> bool:
        """Whether both tell when they began, and `row` the earlier: what it tells of was over by then."""
        period = self._at(current)
        if row.valid_from is None or not period.dated or period.valid_from is None:
            return False
        return row.valid_from < period.valid_from

    def _spoken_of(self, row: Evidence, value: Value) -> Place | None:
        """Return the latest period of `value` that is over and can be the one that `row` tells of."""
        over = ((value, nth) for nth, period in self._numbered(value) if period.is_told_by(row))
        return next(over, None)

    def _contradict(self, place: Place, row: Evidence, value: Value | None) -> None:
        """Weigh a message against the current value: `value` is what it says instead, None if nothing."""
        current, former = self._at(place), self._challenges.get(value)
        spoken_for = place[0] if value is None else value
        if former is not None:
            challenge = former.supported(row)
        else:
            challenge = Period.ending(row, spoken_for) if value is None else Period.begun(row, spoken_for)
        self._do(Slot._set_challenge, value, challenge if value is None else self._noted(challenge))
        stands = current.verified or withstands(
            place[0][0], current.messages, self._against(challenge), opposite=value is not None
        )
        self._put(place, current.contradicted(row, disputed=stands))
        if not stands:
            self._overturn(place, challenge, value, row.message_id)

    def _against(self, challenge: Period) -> int:
        """Return how many messages speak for the challenge, or for the end of what it challenges."""
        ends = self._challenges.get(None)
        return len({*challenge.message_ids, *(() if ends is None else ends.message_ids)})

    def _overturn(self, place: Place, challenge: Period, value: Value | None, by: str) -> None:
        self._do(Slot._set_challenge, value, None)
        self._drop_challenges()
        settled = replace(self._at(place), disputed=False)
        self.ended = place
        self._do(Slot._set_current, None, None)
        if value is None:
            self._put(place, settled.over(challenge, by))
            self._fit(place)
        else:
            self._put(place, settled.ended(challenge.begin, by))
            self._begin(challenge)
            self._fit(place)

    def _reaffirm(self, place: Place) -> None:
        """Settle lone voices against a value that is said again: they stay on record, never having held."""
        if self._at(place).disputed:
            self._put(place, replace(self._at(place), disputed=False))
        self._drop_challenges()

    def _drop_challenges(self) -> None:
        for value, challenge in tuple(self._challenges.items()):
            self._do(Slot._set_challenge, value, None)
            if value is not None:
                self._append(challenge.unheld(disputed=False))

    def _settle(self, row: Evidence, value: Value) -> None:
        place = self._current
        if row.kind == "verified":
            self._verify(row, value)
        elif place is not None and place[0] == value:
            self._put(place, replace(self._at(place), verified=False))
            if row.kind == "rejected":
                self._put(place, self._at(place).void(row.message_id))
                self._do(Slot._set_current, None, None)
                self._drop_challenges()

    def _verify(self, row: Evidence, value: Value) -> None:
        place = self._current
        if place is None or place[0] != value:
            former, (place, begun) = place, self._confirmed(row, value)
            if former is not None:
                over = replace(self._at(former), disputed=False, verified=False)
                self._put(former, over.ended(begun.begin, row.message_id))
                self.ended = former
            self._put(place, begun)
            self._fit(place)
            self._do(Slot._set_current, None, place)
        self._put(place, self._noted(replace(self._at(place), verified=True)))
        self._reaffirm(place)

    def _confirmed(self, row: Evidence, value: Value) -> tuple[Place, Period]:
        """Return what a user's word has hold: what was disputed, what never held, or else a new period."""
        periods = self._periods.get(value, ())
        if (challenge := self._challenges.get(value)) is not None:
            self._do(Slot._set_challenge, value, None)
            return (value, len(periods)), challenge
        if periods and not periods[-1].held:
            return (value, len(periods) - 1), periods[-1].confirmed(row)
        return (value, len(periods)), Period.begun(row, value)

    def _begin(self, period: Period) -> Place:
        place = self._append(period)
        self._do(Slot._set_current, None, place)
        return place

    def _append(self, period: Period) -> Place:
        place = period.value, len(self._periods.get(period.value, ()))
        self._put(place, period)
        self._fit(place)
        return place

    def _support(self, place: Place, row: Evidence) -> None:
        """Count a row for a period; where it tells another beginning, what that one has ended follows."""
        former = self._at(place)
        now = self._noted(former.supported(row))
        self._put(place, now)
        if (former.valid_from, former.valid_to) == (now.valid_from, now.valid_to):
            return
        for other in self._others(place):
            period = self._at(other)
            follows = not period.closed and period.valid_to == former.valid_from != now.valid_from
            if follows and now.valid_from is not None:
                self._put(other, period.ended(now.valid_from, period.ended_by))
        self._fit(place)

    def _fit(self, place: Place) -> None:
        """End what lasts into a period, told times and all, when that one begins: one value holds at a time.

        What lies within a longer period stays, as does what began when nobody knows.
        """
        period = self._at(place)
        if not (period.dated or period.closed) or not period.held:
            return
        others = self._others(place)
        self._shorten(place, others)
        cut: list[Place] = []
        for other in others:
            met = self._at(other).until(self._at(place))
            if met is not None:
                self._put(other, met)
                cut.append(other)
        for other in cut:
            self._shorten(other, self._others(other))

    def _shorten(self, place: Place, others: Sequence[Place]) -> None:
        """End a period where one of `others` begins that lasts longer: the earliest of those that do."""
        told = period = self._at(place)
        for other in sorted(map(self._at, others), key=lambda one: one.begin, reverse=True):
            period = period.until(other) or period
        if period is not told:
            self._put(place, period)

    def _others(self, place: Place) -> list[Place]:
        """Return the places of the other periods in which something held, as far as they are looked at."""
        held = ((value, nth) for value in reversed(self._periods) for nth, _ in self._numbered(value))
        return [other for other in islice(held, MOST_FITTED) if other != place]

    def _numbered(self, value: Value) -> Iterator[tuple[int, Period]]:
        """Yield the periods of a value in which it held, the latest first, with their numbers."""
        periods = self._periods.get(value, ())
        for nth in reversed(range(len(periods))):
            if periods[nth].held:
                yield nth, periods[nth]

    def _at(self, place: Place) -> Period:
        return self._periods[place[0]][place[1]]

    def _noted(self, period: Period) -> Period:
        self.supported = period.first
        return period

    def _put(self, place: Place, period: Period) -> None:
        self._do(Slot._set_period, place, period)

    def _do(self, write: Callable[["Slot", K, V | None], V | None], key: K, new: V | None) -> None:
        self._undo.append((write, key, write(self, key, new)))

    def _set_period(self, place: Place, new: Period | None) -> Period | None:
        """Replace a period, begin one, or take back the last of its value; return the one before."""
        value, nth = place
        periods = self._periods.setdefault(value, [])
        self._tell(place)
        former = periods[nth] if nth < len(periods) else None
        if former is None or new is None:
            self._tell((value, nth + 1))  # where a challenge moves to, or from
        if new is None:
            periods.pop()
            if not periods:
                del self._periods[value]  # the values stand in the order in which they came
        elif former is None:
            periods.append(new)
        else:
            periods[nth] = new
        return former

    def _set_challenge(self, value: Value | None, new: Period | None) -> Period | None:
        if value is not None:
            self._tell((value, len(self._periods.get(value, ()))))
        former = self._challenges.pop(value, None)
        if new is not None:
            self._challenges[value] = new
        return former

    def _set_current(self, _: None, new: Place | None) -> Place | None:
        former, self._current = self._current, new
        return former

    def _tell(self, place: Place) -> None:
        """Remember what stood at a place that is about to change, once until it is told."""
        if place not in self._told:
            self._told[place] = self.shown(place)
