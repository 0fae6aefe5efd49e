"""One value of a slot and the time in which it held.

Support is counted in place; all else replaces the period.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, groupby
from typing import Final, Self

from ricordo.language.facts.entity_names import most_frequent
from ricordo.language.facts.evidence import Evidence
from ricordo.language.text import collapse

SHOWN_MESSAGES: Final = 100
"""Supporting messages that a fact names: the latest."""

Value = tuple[str, str]
"""A predicate, and the normalised object."""

_A_WHILE: Final = timedelta(days=366)


@dataclass(slots=True)
class ValuePeriod:
    """One value and the time in which it held, or is said to have held.

    Rows come in order, with those of a message together: a message is new when it is not the one before.

    Attributes:
        first: the row that began it.
        dated: whether its beginning was stated; else it is the time of the first message.
        closed: whether its end was stated; else it ended because another value began.
        supporters: distinct supporting messages, oldest first.
        contradictions: distinct contradicting messages.
        contradicted_by: the latest of them.
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
    supporters: list[str] = field(default_factory=list)
    contradictions: int = 0
    contradicted_by: str | None = None
    ended_by: str | None = None
    spellings: dict[str, int] = field(default_factory=dict)

    @classmethod
    def begun(cls, row: Evidence, value: Value) -> Self:
        """Return the period that `row` begins and supports."""
        return cls(value, row, row.at, row.valid_from or row.at, dated=row.valid_from is not None).supported(
            row
        )

    @classmethod
    def ending(cls, row: Evidence, value: Value) -> Self:
        """Return what `row` says of a period that is over."""
        dated = row.valid_from is not None
        return cls(value, row, row.at, row.valid_from, row.valid_to, dated=dated, closed=True).supported(row)

    @classmethod
    def past(cls, row: Evidence, value: Value, until: datetime) -> Self:
        """Return the past period that `row` states."""
        return cls.ending(row, value).ended(until)

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
    def messages(self) -> int:
        """The number of distinct supporting messages."""
        return len(self.supporters)

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The latest supporting messages, oldest first; a bot's own word, whose key has a space, is none."""
        return tuple(one for one in self.supporters if " " not in one)[-SHOWN_MESSAGES:]

    def supported(self, row: Evidence) -> Self:
        """Count `row` as support, take the times that it states, and return the period."""
        self._take_times(row)
        spelling = collapse(row.object)
        self.spellings[spelling] = self.spellings.get(spelling, 0) + 1
        if row.kind == "said":
            self.last_reinforced = max(self.last_reinforced, row.at)
            if row.message_id not in self.supporters[-1:]:
                self.supporters.append(row.message_id)
        return self

    def _take_times(self, row: Evidence) -> None:
        """Take the times that `row` states, unless they would leave no time between them.

        Of several beginnings the earliest counts: "for two years" is said until it is three.
        """
        begin, end, dated = self.valid_from, row.valid_to or self.valid_to, self.dated
        if row.valid_from is not None and (begin is None or row.valid_from <= begin):
            begin, dated = row.valid_from, True
        if begin is not None and end is not None and end <= begin:
            if dated:
                return
            begin = None  # when it was first said is no beginning
        self.valid_from, self.valid_to, self.dated = begin, end, dated

    def contradicted(self, row: Evidence, *, disputed: bool) -> Self:
        """Count `row` as a contradiction."""
        return replace(
            self,
            disputed=disputed or self.disputed,
            contradictions=self.contradictions + (row.message_id != self.contradicted_by),
            contradicted_by=row.message_id,
        )

    def over(self, ending: "ValuePeriod", by: str) -> Self:
        """Close the period by the messages in `ending`; `by` is the last of them."""
        if ending.valid_from is None and ending.valid_to is None:
            return replace(self, closed=True).ended(ending.first.at, by)
        until = ending.valid_to or ending.first.at
        begin, dated = (ending.valid_from, True) if ending.dated else (self.valid_from, self.dated)
        if begin is not None and until <= begin and not dated:
            begin = None  # when it was first said is no beginning
        return replace(self, valid_from=begin, dated=dated, closed=True).ended(until, by)

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
        if not self.dated or row.valid_to is None or self.valid_from is None:
            return False
        return row.valid_to <= self.valid_from

    def until(self, then: Self) -> Self | None:
        """Return this period up to the longer-lasting `then`; None where they do not overlap."""
        if self.valid_to is None or then.valid_from is None or then.valid_from <= self.begin:
            return None
        if self.valid_to <= then.valid_from or (then.valid_to is not None and then.valid_to < self.valid_to):
            return None
        return replace(self, valid_to=then.valid_from)

    def ended(self, instant: datetime, by: str | None = None) -> Self:
        """Close the period at `instant`, never before it began; `by` is the message."""
        until = instant if self.valid_from is None else max(instant, self.valid_from)
        return replace(self, valid_to=until, ended_by=by)

    def void(self, by: str) -> Self:
        """Mark it as never having held; `by` is the request."""
        never = self.valid_from or self.first.at
        return replace(self, valid_from=never, valid_to=never, ended_by=by, verified=False, disputed=False)

    def confirmed(self, row: Evidence) -> Self:
        """Return a period that never held as one that an assertion confirms, with its messages.

        One that something else ended is as it was before; a lone contradiction holds since the user says so.
        """
        since = row.valid_from or row.at
        begin = since if self.ended_by is None or self.valid_from is None else min(since, self.valid_from)
        updated = replace(
            self,
            valid_from=begin,
            valid_to=None,
            dated=self.dated or begin != self.valid_from,
            closed=False,
            ended_by=None,
        )
        if collapse(row.object) == self.spelling:
            return updated
        return replace(updated, spellings={collapse(row.object): 1})

    def joined(self, later: Sequence[Self]) -> Self:
        """Return this period with the messages and spellings of later ones of its value, in order."""
        all_of = (self, *later)
        spellings: Counter[str] = Counter()
        for one in all_of:
            spellings.update(one.spellings)
        return replace(
            self,
            last_reinforced=max(one.last_reinforced for one in all_of),
            supporters=[one for one, _ in groupby(chain.from_iterable(one.supporters for one in all_of))],
            contradictions=sum(one.contradictions for one in all_of),
            contradicted_by=next(filter(None, (one.contradicted_by for one in reversed(all_of))), None),
            spellings=spellings,
        )

    def unheld(self, *, disputed: bool) -> Self:
        """Record what was said and did not come to hold."""
        return replace(self, valid_from=self.first.at, valid_to=self.first.at, disputed=disputed)
