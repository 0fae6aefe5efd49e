"""How evidence moves one slot of knowledge: values begin, are reinforced, disputed, superseded and settled.

A slot is what statements compete for: the single value of a functional predicate, or whether one statement of
a multi-valued predicate is true. Its periods are the values it has held, in the order in which they began.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ricordo.domain.facts.evidence import Evidence

FIRM: Final = 5
"""Distinct messages from which a lone contradicting one disputes a fact and does not overturn it."""

OVERTURNING: Final = 2
"""Distinct contradicting messages that overturn a firm fact."""

Value = tuple[str, str]


@dataclass(slots=True)
class Period:
    """One value and the time in which it held; `messages` keeps each message once, in order."""

    value: Value
    first_seen: datetime
    last_reinforced: datetime
    valid_from: datetime | None
    valid_to: datetime | None = None
    verified: bool = False
    disputed: bool = False
    messages: dict[str, None] = field(default_factory=dict)
    contradicting: set[str] = field(default_factory=set)
    spellings: list[str] = field(default_factory=list)

    def support(self, row: Evidence) -> None:
        """Count `row` as a reason for this period."""
        self.spellings.append(row.object)
        if row.kind == "said":
            self.messages[row.message_id] = None
            self.last_reinforced = max(self.last_reinforced, row.at)

    def end(self, instant: datetime) -> None:
        """Close the period at `instant`, never before it began."""
        self.valid_to = instant if self.valid_from is None else max(instant, self.valid_from)

    def void(self) -> None:
        """Say that it never held."""
        self.valid_from = self.valid_to = self.valid_from or self.first_seen
        self.verified = self.disputed = False


class Slot:
    """The history of one slot; evidence is applied in time order."""

    __slots__ = ("_challenges", "_current", "periods")

    def __init__(self) -> None:
        self.periods: list[Period] = []
        self._current: Period | None = None
        self._challenges: dict[Value | None, list[Evidence]] = {}

    def apply(self, row: Evidence, value: Value) -> None:
        """Let `row` speak for (or of the end of) `value`."""
        if row.kind != "said":
            self._settle(row, value)
        elif row.polarity == "past" or row.valid_to is not None:
            self._ended(row, value)
        else:
            self._holds(row, value)

    def _holds(self, row: Evidence, value: Value) -> None:
        current = self._current
        if current is None:
            self._begin(row, value)
        elif current.value == value:
            current.support(row)
            self._reaffirm(current)
        else:
            self._contradict(current, row, value)

    def _ended(self, row: Evidence, value: Value) -> None:
        current = self._current
        if current is not None and current.value == value:
            self._contradict(current, row, None)
            return
        past = self._latest(value)
        if past is None:
            past = _period(row, value, row.valid_from)
            before = row.at if current is None or current.valid_from is None else current.valid_from
            past.end(row.valid_to or min(row.at, before))
            self.periods.append(past)
        past.support(row)

    def _contradict(self, current: Period, row: Evidence, value: Value | None) -> None:
        """Weigh a message against the current value: `value` is what it says instead, None if nothing."""
        current.contradicting.add(row.message_id)
        firm = len(current.messages) >= FIRM
        self._challenges.setdefault(value, []).append(row)
        against = {r.message_id for r in (*self._challenges.get(value, ()), *self._challenges.get(None, ()))}
        if current.verified or (firm and len(against) < OVERTURNING):
            current.disputed = True
            return
        self._overturn(current, row, value)

    def _overturn(self, current: Period, row: Evidence, value: Value | None) -> None:
        challengers = self._challenges.pop(value, [row])
        ends = self._challenges.get(None, []) if value is not None else challengers
        self._drop_challenges(self._challenges)
        first = min((*challengers, *ends), key=lambda r: r.at)
        current.disputed = False
        current.end(first.valid_to or _since(challengers[0]) if value is None else _since(challengers[0]))
        self._current = None
        if value is not None:
            begun = self._begin(challengers[0], value)
            for supporter in challengers[1:]:
                begun.support(supporter)

    def _reaffirm(self, current: Period) -> None:
        """Settle lone voices against a value that is said again: they stay on record, never having held."""
        current.disputed = False
        self._drop_challenges(self._challenges)

    def _drop_challenges(self, challenges: dict[Value | None, list[Evidence]]) -> None:
        for value, rows in challenges.items():
            if value is not None:
                self._record_unheld(rows, value)
        self._challenges = {}

    def _record_unheld(self, rows: Iterable[Evidence], value: Value, *, disputed: bool = False) -> None:
        period: Period | None = None
        for row in rows:
            period = period or _period(row, value, row.at)
            period.support(row)
        if period is not None:
            period.void()
            period.disputed = disputed
            self.periods.append(period)

    def _settle(self, row: Evidence, value: Value) -> None:
        current = self._current
        if row.kind == "verified":
            self._verify(row, value)
        elif current is not None and current.value == value:
            current.verified = False
            if row.kind == "rejected":
                current.void()
                self._current = None
                self._drop_challenges(self._challenges)

    def _verify(self, row: Evidence, value: Value) -> None:
        current = self._current
        if current is None or current.value != value:
            supporters = self._challenges.pop(value, [])
            if current is not None:
                current.disputed = current.verified = False
                current.end(_since(supporters[0]) if supporters else _since(row))
            current = self._begin(supporters[0] if supporters else row, value)
            for supporter in supporters[1:]:
                current.support(supporter)
        current.verified = True
        self._reaffirm(current)

    def _begin(self, row: Evidence, value: Value) -> Period:
        period = _period(row, value, _since(row))
        period.support(row)
        self.periods.append(period)
        self._current = period
        return period

    def _latest(self, value: Value) -> Period | None:
        return next(
            (p for p in reversed(self.periods) if p.value == value and p.valid_from != p.valid_to), None
        )

    def close(self) -> None:
        """Put on record what is still disputed: it is shown as history, never as the current value."""
        for value, rows in self._challenges.items():
            if value is not None:
                self._record_unheld(rows, value, disputed=True)
        self._challenges = {}


def _period(row: Evidence, value: Value, since: datetime | None) -> Period:
    return Period(value, first_seen=row.at, last_reinforced=row.at, valid_from=since)


def _since(row: Evidence) -> datetime:
    return row.valid_from or row.at
