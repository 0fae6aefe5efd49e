"""How evidence changes one slot: values begin, are reinforced, disputed, superseded and settled.

A slot is the single value of a functional predicate, or the truth of one statement of a multi-valued one. Its
periods are the values it has held, in the order in which they began.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.facts.value_periods import Value, ValuePeriod

FIRM: Final = 5
"""Supporting messages from which a lone contradiction disputes a fact and does not overturn it."""

FIRM_TASTE: Final = 3
"""The same for a preference that a message reverses: moods are volatile. Also the display threshold."""

OVERTURNING: Final = 2
"""Contradicting messages that overturn a firm fact."""

MOST_FITTED: Final = 32
"""Periods of a slot that a dated one is fitted to: those of the latest values."""

PeriodRef = tuple[Value, int]
"""A period by its value, and its number among those of this value, from 0."""


class Slot:
    """One slot, to which rows are applied in time order."""

    __slots__ = ("_challenges", "_current", "_periods")

    def __init__(self) -> None:
        self._periods: dict[Value, list[ValuePeriod]] = {}
        self._current: ValuePeriod | None = None
        self._challenges: dict[Value | None, ValuePeriod] = {}
        """What contradicts the current period, by the value claimed instead; None for its mere end."""

    def apply(self, row: Evidence, value: Value) -> None:
        """Apply `row`, which concerns `value`; the retraction of an assertion changes nothing."""
        if row.kind == "verified":
            self._verify(row, value)
        elif row.kind == "rejected":
            self._reject(row, value)
        elif row.kind != "said":
            return
        elif row.polarity == "denied":
            current = self._current
            if current is not None and current.value == value and not current.began_after(row):
                self._contradict(current, row, None)
        elif row.polarity == "past" or row.valid_to is not None:
            self._end(row, value)
        else:
            self._hold(row, value)

    def periods(self) -> dict[PeriodRef, ValuePeriod]:
        """Return all periods of the finished slot; a disputed challenge counts as the next of its value."""
        for value, challenge in self._challenges.items():
            if value is not None:
                challenge.unhold(challenge.first.at)
                challenge.disputed = True
                self._periods.setdefault(value, []).append(challenge)
        return {
            (value, nth): period
            for value, periods in self._periods.items()
            for nth, period in enumerate(periods)
        }

    def _hold(self, row: Evidence, value: Value) -> None:
        current = self._current
        if (over := self._begun_before(row, value)) is not None:
            self._support(over, row)
        elif current is None:
            self._current = self._add(ValuePeriod.begun(row, value))
        elif current.value == value:
            self._support(current, row)
            self._reaffirm(current)
        elif self._precedes(row, current):
            self._add(ValuePeriod.past(row, value, current.valid_from or row.at))
        else:
            self._contradict(current, row, value)

    def _end(self, row: Evidence, value: Value) -> None:
        current = self._current
        if current is not None and current.value == value and not current.is_after(row):
            self._contradict(current, row, None)
        elif (over := next((one for one in self._held(value) if one.is_told_by(row)), None)) is not None:
            self._support(over, row)
        else:
            before = row.at if current is None or current.valid_from is None else current.valid_from
            self._add(ValuePeriod.past(row, value, row.valid_to or min(row.at, before)))

    def _held(self, value: Value) -> Iterator[ValuePeriod]:
        """Yield the periods in which a value held, latest first."""
        return (period for period in reversed(self._periods.get(value, ())) if period.held)

    def _begun_before(self, row: Evidence, value: Value) -> ValuePeriod | None:
        """Return the past period whose beginning `row` states."""
        if row.valid_from is None:
            return None
        over = (
            period
            for period in self._held(value)
            if period.valid_to is not None
            and (period.closed or row.polarity == "began")
            and row.valid_from < period.valid_to
        )
        return next(over, None)

    @staticmethod
    def _precedes(row: Evidence, current: ValuePeriod) -> bool:
        """Whether `row` states a beginning before the current value.

        Of two dated beginnings the earlier value is past. Who moved to Leeds in 1999 lives there no more if
        they have since said that they live elsewhere.
        """
        if row.valid_from is None or current.valid_from is None:
            return False
        if current.dated:
            return row.valid_from < current.valid_from
        return row.polarity == "began" and row.valid_from < current.last_reinforced

    def _contradict(self, current: ValuePeriod, row: Evidence, value: Value | None) -> None:
        """Weigh a message against the current value; `value` is what it claims instead, None if nothing."""
        challenge = self._challenges.pop(value, None)
        if challenge is not None:
            challenge.support(row)
        elif value is None:
            challenge = ValuePeriod.ending(row, current.value)
        else:
            challenge = ValuePeriod.begun(row, value)
        self._challenges[value] = challenge
        stands = current.verified or self._withstands(current, challenge, value)
        current.contradict(row, disputed=stands)
        if not stands:
            self._overturn(current, challenge, value, row.message_id)

    def _withstands(self, current: ValuePeriod, challenge: ValuePeriod, value: Value | None) -> bool:
        """Whether the current value stands although messages contradict it."""
        ends = self._challenges.get(None, challenge)
        against = len({*challenge.message_ids, *ends.message_ids})
        taste = value is not None and PREDICATES[current.value[0]].opposite is not None
        return len(current.supporters) >= (FIRM_TASTE if taste else FIRM) and against < OVERTURNING

    def _overturn(self, place: ValuePeriod, challenge: ValuePeriod, value: Value | None, by: str) -> None:
        del self._challenges[value]
        self._drop_challenges()
        place.disputed, self._current = False, None
        if value is None:
            place.close(challenge, by)
        else:
            place.end(challenge.begin, by)
            self._current = self._add(challenge)
        self._fit(place)

    def _reaffirm(self, current: ValuePeriod) -> None:
        """Settle lone contradictions of a value that is said again; they are kept as never having held."""
        current.disputed = False
        self._drop_challenges()

    def _drop_challenges(self) -> None:
        challenges, self._challenges = self._challenges, {}
        for value, challenge in challenges.items():
            if value is not None:
                challenge.unhold(challenge.first.at)
                challenge.disputed = False
                self._add(challenge)

    def _reject(self, row: Evidence, value: Value) -> None:
        """Void `value` since then, also where something else ended it before."""
        current, since = self._current, row.valid_from or row.at
        for period in tuple(self._held(value)):
            if period.valid_to is None or since < period.valid_to:
                period.annul(row.message_id)
        if current is not None and current.value == value:
            current.annul(row.message_id)
            self._current = None
            self._drop_challenges()
        elif (challenge := self._challenges.pop(value, None)) is not None:
            challenge.annul(row.message_id)
            self._add(challenge)
            if current is not None and not self._challenges:
                current.disputed = False

    def _verify(self, row: Evidence, value: Value) -> None:
        former = self._current
        is_current = former is not None and former.value == value
        confirmed = former if former is not None and is_current else self._confirmed(row, value)
        if row.polarity != "holds":
            self._move(confirmed, lambda: confirmed.fix(row))
        confirmed.verified = True
        confirmed.confirmed_by.append(row.message_id)
        if row.polarity != "past":
            if former is not None and not is_current:
                former.disputed = former.verified = False
                former.end(confirmed.begin, row.message_id)
            if not is_current:
                self._fit(confirmed)
            self._current = confirmed
            self._reaffirm(confirmed)
        elif is_current:
            self._current = None
            self._reaffirm(confirmed)
        elif former is not None and not self._challenges:
            former.disputed = False

    def _confirmed(self, row: Evidence, value: Value) -> ValuePeriod:
        """Return the period that an assertion confirms: a challenge, a voided one, or a new one.

        One with times is about the last period that held, if nobody disputes that.
        """
        of_last = row.polarity != "holds" and value not in self._challenges
        if of_last and (over := next(self._held(value), None)) is not None:
            return over
        periods = self._periods.setdefault(value, [])
        since = next((nth + 1 for nth in reversed(range(len(periods))) if periods[nth].held), 0)
        never = periods[since:]
        challenge = self._challenges.pop(value, None)
        if challenge is not None or not never:
            periods.append(challenge or ValuePeriod.begun(row, value))
            return periods[-1]
        back = next((one for one in reversed(never) if one.ended_by is not None), never[-1])
        place = periods.index(back) + 1
        back.absorb(periods[place:])
        del periods[place:]
        back.restore(row)
        return back

    def _add(self, period: ValuePeriod) -> ValuePeriod:
        self._periods.setdefault(period.value, []).append(period)
        self._fit(period)
        return period

    def _support(self, period: ValuePeriod, row: Evidence) -> None:
        """Count a row for a period."""
        self._move(period, lambda: period.support(row))

    def _move(self, period: ValuePeriod, change: Callable[[], None]) -> None:
        """Change a period; a changed beginning also moves the end of what it superseded."""
        began, ended = period.valid_from, period.valid_to
        change()
        if (began, ended) == (period.valid_from, period.valid_to):
            return
        for other in self._others(period):
            follows = not other.closed and other.valid_to == began != period.valid_from
            if follows and began is not None and period.valid_from is not None:
                other.end(period.valid_from, other.ended_by)
        self._fit(period)

    def _fit(self, period: ValuePeriod) -> None:
        """End a longer-lasting period where a dated one begins: one value holds at a time.

        A period within a longer one stays, as does one of unknown beginning.
        """
        if not (period.dated or period.closed) or not period.held:
            return
        others = self._others(period)
        _shorten(period, others)
        for other in [one for one in others if one.stop_at(period)]:
            _shorten(other, self._others(other))

    def _others(self, period: ValuePeriod) -> list[ValuePeriod]:
        """Return the other periods in which something held, at most `MOST_FITTED`."""
        held = chain.from_iterable(map(self._held, reversed(self._periods)))
        return [other for other in islice(held, MOST_FITTED) if other is not period]


def _shorten(period: ValuePeriod, others: Sequence[ValuePeriod]) -> None:
    """End a period at the earliest beginning of `others` that outlast it."""
    for other in sorted(others, key=lambda one: one.begin, reverse=True):
        period.stop_at(other)
