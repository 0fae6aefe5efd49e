"""One value of a slot and the time in which it held."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from ricordo.language.facts.entity_names import most_frequent
from ricordo.language.facts.evidence import Evidence
from ricordo.language.text import collapse

SHOWN_MESSAGES: Final = 100
"""Supporting messages that a fact names: the latest."""

Value = tuple[str, str]
"""A predicate, and the normalised object."""

_A_WHILE: Final = timedelta(days=366)


@dataclass(slots=True, eq=False)
class ValuePeriod:
    """One value and the time in which it held, or is said to have held.

    Rows come in order, with those of a message together: a message is new when it is not the one before.

    Attributes:
        first: the row that began it.
        dated: whether its beginning was stated; else it is the time of the first message.
        closed: whether its end was stated; else it ended because another value began.
        void: whether the user says that it never held.
        fixed_begin, fixed_end: whether the user has set its times, which messages then leave alone.
        supporters, opponents: distinct messages that support and contradict it, oldest first.
        confirmed_by: requests by which the user confirmed it.
        ended_by: the message or request that ended it; None while it holds, if it was stated as past, and
            where it never came to hold.
        spellings: how often each was met.
    """

    value: Value
    first: Evidence
    last_reinforced: datetime
    valid_from: datetime | None
    valid_to: datetime | None = None
    dated: bool = False
    closed: bool = False
    verified: bool = False
    disputed: bool = False
    void: bool = False
    fixed_begin: bool = False
    fixed_end: bool = False
    supporters: list[str] = field(default_factory=list)
    opponents: list[str] = field(default_factory=list)
    confirmed_by: list[str] = field(default_factory=list)
    ended_by: str | None = None
    spellings: Counter[str] = field(default_factory=Counter)

    @classmethod
    def begun(cls, row: Evidence, value: Value) -> Self:
        """Return the period that `row` begins and supports."""
        period = cls(value, row, row.at, row.valid_from or row.at, dated=row.valid_from is not None)
        period.support(row)
        return period

    @classmethod
    def ending(cls, row: Evidence, value: Value) -> Self:
        """Return what `row` says of a period that is over."""
        dated = row.valid_from is not None
        period = cls(value, row, row.at, row.valid_from, row.valid_to, dated=dated, closed=True)
        period.support(row)
        return period

    @classmethod
    def past(cls, row: Evidence, value: Value, until: datetime) -> Self:
        """Return the past period that `row` states."""
        period = cls.ending(row, value)
        period.end(until)
        return period

    @property
    def held(self) -> bool:
        """Whether it held at any time."""
        return self.valid_from != self.valid_to

    @property
    def begin(self) -> datetime:
        """Sort key of the beginning; unknown ones come first."""
        return self.valid_from or datetime.min.replace(tzinfo=UTC)

    @property
    def spelling(self) -> str:
        """The most frequent spelling."""
        return most_frequent(self.spellings)

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The latest supporting messages, oldest first; a bot's own word, whose key has a space, is none."""
        return tuple(one for one in self.supporters if " " not in one)[-SHOWN_MESSAGES:]

    def support(self, row: Evidence) -> None:
        """Count `row` as support, and take the times that it states."""
        self._take_times(row)
        self.spellings[collapse(row.object)] += 1
        if row.kind == "said":
            self.last_reinforced = max(self.last_reinforced, row.at)
            if row.message_id not in self.supporters[-1:]:
                self.supporters.append(row.message_id)

    def _take_times(self, row: Evidence) -> None:
        """Take the times that `row` states, unless they would leave no time between them.

        Of several beginnings the earliest counts: "for two years" is said until it is three.
        """
        begin, end, dated = self.valid_from, row.valid_to or self.valid_to, self.dated
        if self.fixed_end:
            end = self.valid_to
        if row.valid_from is not None and not self.fixed_begin and (begin is None or row.valid_from <= begin):
            begin, dated = row.valid_from, True
        if begin is not None and end is not None and end <= begin:
            if dated:
                return
            begin = None  # when it was first said is no beginning
        self.valid_from, self.valid_to, self.dated = begin, end, dated

    def contradict(self, row: Evidence, *, disputed: bool) -> None:
        """Count `row` as a contradiction."""
        self.disputed |= disputed
        if row.message_id not in self.opponents[-1:]:
            self.opponents.append(row.message_id)

    def close(self, ending: "ValuePeriod", by: str) -> None:
        """Close the period by the messages in `ending`; `by` is the last of them."""
        self.closed, until = True, ending.valid_to or ending.first.at
        if ending.dated:
            self.valid_from, self.dated = ending.valid_from, True
        elif ending.valid_to and not self.dated and self.valid_from and until <= self.valid_from:
            self.valid_from = None  # when it was first said is no beginning
        self.end(until, by)

    def is_told_by(self, row: Evidence) -> bool:
        """Whether this is over, and can be what `row` says to be over."""
        if self.valid_to is None or (row.valid_from is not None and self.valid_to <= row.valid_from):
            return False
        return not self.is_after(row)

    def is_after(self, row: Evidence) -> bool:
        """Whether what `row` says to be over ended before this began.

        A beginning that was not stated lies some time before the first message.
        """
        if row.valid_to is None or self.valid_from is None:
            return False
        return row.valid_to <= self.valid_from - (timedelta(0) if self.dated else _A_WHILE)

    def began_after(self, row: Evidence) -> bool:
        """Whether this is known to have begun after the end that `row` states."""
        return self.dated and self.is_after(row)

    def stop_at(self, then: Self) -> bool:
        """End this period where the longer-lasting `then` begins; say whether they overlapped."""
        if (
            self.fixed_end
            or self.valid_to is None
            or then.valid_from is None
            or then.valid_from <= self.begin
        ):
            return False
        if self.valid_to <= then.valid_from or (then.valid_to is not None and then.valid_to < self.valid_to):
            return False
        self.valid_to = then.valid_from
        return True

    def end(self, instant: datetime, by: str | None = None) -> None:
        """End the period at `instant`, never before it began; `by` is the message."""
        self.valid_to = instant if self.valid_from is None else max(instant, self.valid_from)
        self.ended_by = by

    def fix(self, row: Evidence) -> None:
        """Take the times of an assertion; without a beginning the former one stays if the end allows it."""
        self.valid_to, self.fixed_end, self.closed = row.valid_to, True, row.valid_to is not None
        self.ended_by, self.void = None, False
        if row.valid_from is not None:
            self.valid_from, self.dated, self.fixed_begin = row.valid_from, True, True
        elif self.valid_from is not None and row.valid_to is not None and row.valid_to <= self.valid_from:
            self.valid_from, self.dated, self.fixed_begin = None, False, False

    def annul(self, by: str) -> None:
        """Mark it as never having held; `by` is the request."""
        self.unhold(self.valid_from or self.first.at)
        self.ended_by, self.void, self.verified, self.disputed = by, True, False, False
        self.fixed_begin = self.fixed_end = False

    def unhold(self, instant: datetime) -> None:
        """Let it have held for no time."""
        self.valid_from = self.valid_to = instant

    def restore(self, row: Evidence) -> None:
        """Let a period that never held hold, with its messages, as an assertion confirms.

        One that something else ended is as it was before; a lone contradiction holds since the user says so.
        """
        since, before = row.valid_from or row.at, self.valid_from
        self.valid_from = since if self.ended_by is None or before is None else min(since, before)
        self.dated |= self.valid_from != before
        self.valid_to = self.ended_by = None
        self.closed = self.void = False
        if collapse(row.object) != self.spelling:
            self.spellings = Counter((collapse(row.object),))

    def absorb(self, later: Sequence[Self]) -> None:
        """Take the messages and spellings of later periods of its value, in order."""
        for one in later:
            self.last_reinforced = max(self.last_reinforced, one.last_reinforced)
            same = self.supporters[-1:] == one.supporters[:1]
            self.supporters += one.supporters[same:]
            self.opponents += one.opponents
            self.confirmed_by += one.confirmed_by
            self.spellings.update(one.spellings)
