"""How evidence changes one slot: values begin, are reinforced, disputed, superseded and settled.

A slot is the single value of a functional predicate, or the truth of one statement of a multi-valued one. Its
periods are the values it has held, in the order in which they began.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.facts.slot_records import PeriodRef, SlotRecord
from ricordo.memory.facts.value_periods import Value, ValuePeriod

FIRM: Final = 5
"""Supporting messages from which a lone contradiction disputes a fact and does not overturn it."""

FIRM_TASTE: Final = 3
"""The same for a preference that a message reverses: moods are volatile. Also the display threshold."""

OVERTURNING: Final = 2
"""Contradicting messages that overturn a firm fact."""


def withstands(predicate: str, messages: int, against: int, *, opposite: bool) -> bool:
    """Tell whether a value of `predicate` stands although messages contradict it.

    Args:
        messages: distinct supporting ones.
        against: distinct contradicting ones, >= 1.
        opposite: whether these claim another value, not only that it is over.
    """
    taste = opposite and PREDICATES[predicate].opposite is not None
    return messages >= (FIRM_TASTE if taste else FIRM) and against < OVERTURNING


class Slot:
    """One slot, to which rows are applied in time order.

    Attributes:
        supported: the row that began the period that the last row supports; None if none.
        ended: the period that the last row ended; None if none.
    """

    __slots__ = ("ended", "record", "supported")

    def __init__(self) -> None:
        self.record = SlotRecord()
        self.supported: Evidence | None = None
        self.ended: PeriodRef | None = None

    def apply(self, row: Evidence, value: Value) -> bool:
        """Apply `row`, which concerns `value`, and return whether it changes anything."""
        self.supported = self.ended = None
        changes = self.record.changes
        if row.kind != "said":
            self._settle(row, value)
        elif row.polarity == "denied":
            self._deny(row, value)
        elif row.polarity == "past" or row.valid_to is not None:
            self._ended(row, value)
        else:
            self._holds(row, value)
        return self.record.changes != changes

    def _holds(self, row: Evidence, value: Value) -> None:
        place = self.record.current
        if (over := self._begun_before(row, value)) is not None:
            self._support(over, row)
        elif place is None:
            self._begin(self._noted(ValuePeriod.begun(row, value)))
        elif place[0] == value:
            self._support(place, row)
            self._reaffirm(place)
        elif self._precedes(row, place):
            self._append(
                self._noted(ValuePeriod.past(row, value, self.record.at(place).valid_from or row.at))
            )
        else:
            self._contradict(place, row, value)

    def _ended(self, row: Evidence, value: Value) -> None:
        place = self.record.current
        if place is not None and place[0] == value and not self.record.at(place).is_after(row):
            self._contradict(place, row, None)
        elif (over := self._spoken_of(row, value)) is not None:
            self._support(over, row)
        else:
            current = None if place is None else self.record.at(place)
            before = row.at if current is None or current.valid_from is None else current.valid_from
            self._append(self._noted(ValuePeriod.past(row, value, row.valid_to or min(row.at, before))))

    def _deny(self, row: Evidence, value: Value) -> None:
        place = self.record.current
        if place is not None and place[0] == value and not self.record.at(place).began_after(row):
            self._contradict(place, row, None)

    def _begun_before(self, row: Evidence, value: Value) -> PeriodRef | None:
        """Return the past period whose beginning `row` states."""
        if row.valid_from is None:
            return None
        over = (
            (value, nth)
            for nth, period in self.record.numbered(value)
            if period.valid_to is not None
            and (period.closed or row.polarity == "began")
            and row.valid_from < period.valid_to
        )
        return next(over, None)

    def _precedes(self, row: Evidence, current: PeriodRef) -> bool:
        """Whether `row` states a beginning before the current value.

        Of two dated beginnings the earlier value is past. Who moved to Leeds in 1999 lives there no more if
        they have since said that they live elsewhere.
        """
        period = self.record.at(current)
        if row.valid_from is None or period.valid_from is None:
            return False
        if period.dated:
            return row.valid_from < period.valid_from
        return row.polarity == "began" and row.valid_from < period.last_reinforced

    def _spoken_of(self, row: Evidence, value: Value) -> PeriodRef | None:
        over = ((value, nth) for nth, period in self.record.numbered(value) if period.is_told_by(row))
        return next(over, None)

    def _contradict(self, place: PeriodRef, row: Evidence, value: Value | None) -> None:
        """Weigh a message against the current value; `value` is what it claims instead, None if nothing."""
        current, former = self.record.at(place), self.record.challenges.get(value)
        spoken_for = place[0] if value is None else value
        if former is not None:
            challenge = former.supported(row)
        else:
            challenge = (
                ValuePeriod.ending(row, spoken_for) if value is None else ValuePeriod.begun(row, spoken_for)
            )
        self.record.challenge(value, challenge if value is None else self._noted(challenge))
        stands = current.verified or withstands(
            place[0][0], current.messages, self._against(challenge), opposite=value is not None
        )
        self.record.put(place, current.contradicted(row, disputed=stands))
        if not stands:
            self._overturn(place, challenge, value, row.message_id)

    def _against(self, challenge: ValuePeriod) -> int:
        ends = self.record.challenges.get(None)
        return len({*challenge.message_ids, *(() if ends is None else ends.message_ids)})

    def _overturn(self, place: PeriodRef, challenge: ValuePeriod, value: Value | None, by: str) -> None:
        self.record.challenge(value, None)
        self._drop_challenges()
        settled = replace(self.record.at(place), disputed=False)
        self.ended = place
        self.record.hold(None)
        if value is None:
            self.record.put(place, settled.over(challenge, by))
            self._fit(place)
        else:
            self.record.put(place, settled.ended(challenge.begin, by))
            self._begin(challenge)
            self._fit(place)

    def _reaffirm(self, place: PeriodRef) -> None:
        """Settle lone contradictions of a value that is said again; they are kept as never having held."""
        if self.record.at(place).disputed:
            self.record.put(place, replace(self.record.at(place), disputed=False))
        self._drop_challenges()

    def _drop_challenges(self) -> None:
        for value, challenge in tuple(self.record.challenges.items()):
            self.record.challenge(value, None)
            if value is not None:
                self._append(challenge.unheld(disputed=False))

    def _settle(self, row: Evidence, value: Value) -> None:
        """Apply an assertion of the user; a retracted one needs nothing."""
        if row.kind == "verified":
            self._verify(row, value)
        elif row.kind == "rejected":
            self._reject(row, value)

    def _reject(self, row: Evidence, value: Value) -> None:
        """Void `value` since then, also where something else ended it before."""
        place, since = self.record.current, row.valid_from or row.at
        for nth, period in tuple(self.record.numbered(value)):
            if period.valid_to is None or since < period.valid_to:
                self.record.put((value, nth), period.void(row.message_id))
        if place is not None and place[0] == value:
            self.record.put(place, self.record.at(place).void(row.message_id))
            self.record.hold(None)
            self._drop_challenges()
        elif (challenge := self.record.challenges.get(value)) is not None:
            self.record.challenge(value, None)
            self._append(challenge.void(row.message_id))
            if place is not None and not self.record.challenges:
                self.record.put(place, replace(self.record.at(place), disputed=False))

    def _verify(self, row: Evidence, value: Value) -> None:
        place = self.record.current
        if place is None or place[0] != value:
            former, (place, begun) = place, self._confirmed(row, value)
            if former is not None:
                over = replace(self.record.at(former), disputed=False, verified=False)
                self.record.put(former, over.ended(begun.begin, row.message_id))
                self.ended = former
            self.record.put(place, begun)
            self._fit(place)
            self.record.hold(place)
        self.record.put(place, self._noted(replace(self.record.at(place), verified=True)))
        self._reaffirm(place)

    def _confirmed(self, row: Evidence, value: Value) -> tuple[PeriodRef, ValuePeriod]:
        """Return the period that an assertion makes current: a challenge, a voided one, or a new one."""
        place = self.record.next_of(value)
        if (challenge := self.record.challenges.get(value)) is not None:
            self.record.challenge(value, None)
            return place, challenge
        never = self.record.never_held(value)
        if not never:
            return place, ValuePeriod.begun(row, value)
        back = next((one for one in reversed(never) if self.record.at(one).ended_by is not None), never[-1])
        if later := never[never.index(back) + 1 :]:
            self.record.join(back, later)
        return back, self.record.at(back).confirmed(row)

    def _begin(self, period: ValuePeriod) -> PeriodRef:
        place = self._append(period)
        self.record.hold(place)
        return place

    def _append(self, period: ValuePeriod) -> PeriodRef:
        place = self.record.next_of(period.value)
        self.record.put(place, period)
        self._fit(place)
        return place

    def _support(self, place: PeriodRef, row: Evidence) -> None:
        """Count a row for a period; a changed beginning also moves the end of what it superseded."""
        period = self.record.at(place)
        began, ended = period.valid_from, period.valid_to
        now = self._noted(period.supported(row))
        self.record.put(place, now)
        if (began, ended) == (now.valid_from, now.valid_to):
            return
        for other in self.record.others(place):
            period = self.record.at(other)
            follows = not period.closed and period.valid_to == began != now.valid_from
            if follows and now.valid_from is not None:
                self.record.put(other, period.ended(now.valid_from, period.ended_by))
        self._fit(place)

    def _fit(self, place: PeriodRef) -> None:
        """End a longer-lasting period where a dated one begins: one value holds at a time.

        A period within a longer one stays, as does one of unknown beginning.
        """
        period = self.record.at(place)
        if not (period.dated or period.closed) or not period.held:
            return
        others = self.record.others(place)
        self._shorten(place, others)
        cut: list[PeriodRef] = []
        for other in others:
            met = self.record.at(other).until(self.record.at(place))
            if met is not None:
                self.record.put(other, met)
                cut.append(other)
        for other in cut:
            self._shorten(other, self.record.others(other))

    def _shorten(self, place: PeriodRef, others: Sequence[PeriodRef]) -> None:
        """End a period at the earliest beginning of `others` that outlast it."""
        original = period = self.record.at(place)
        for other in sorted(map(self.record.at, others), key=lambda one: one.begin, reverse=True):
            period = period.until(other) or period
        if period is not original:
            self.record.put(place, period)

    def _noted(self, period: ValuePeriod) -> ValuePeriod:
        self.supported = period.first
        return period
