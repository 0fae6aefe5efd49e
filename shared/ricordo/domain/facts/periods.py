"""One value of a slot of knowledge and the time in which it held, as a value that does not change.

Periods are replaced, never edited: whoever keeps the one before can take a change back. They count messages
and do not list them all, so that a fact that is said every day takes no more room each day. What grows from
one to the next is in pieces, which they share: hundreds of them that follow each other take little more room
than one.
"""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Final, Self

from ricordo.domain.facts.entities import most_frequent, spelled
from ricordo.domain.facts.evidence import Evidence

SHOWN_MESSAGES: Final = 100
"""Of the messages that support a fact, how many are named: the latest."""

_PIECE: Final = 10
"""How many messages, and spellings, stand together: the most that a period does not share with the next."""

Value = tuple[str, str]
"""A predicate, and the normalised object."""

_Names = tuple[str, ...]
_Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Period:
    """One value and the time in which it held, or is said to have held.

    Rows come in order, in which those of a message stand together: a message is new to a period when it is
    not the one before.

    Attributes:
        first: the row that began it.
        messages: distinct supporting messages.
        former_ids: the latest of them but for the last ones, oldest first, in pieces.
        last_ids: the last ones, at most a piece.
        contradictions: distinct messages that spoke against it.
        contradicted_by: the latest of them.
        ended_by: the message that ended what held; None while it holds, or where it was told as past.
        spellings: how often the value was spelled how, but for the last times.
        last_spellings: how it was spelled then; less than a piece.
    """

    value: Value
    first: Evidence
    last_reinforced: datetime
    valid_from: datetime | None
    valid_to: datetime | None = None
    verified: bool = False
    disputed: bool = False
    messages: int = 0
    former_ids: tuple[tuple[str, ...], ...] = ()
    last_ids: tuple[str, ...] = ()
    contradictions: int = 0
    contradicted_by: str | None = None
    ended_by: str | None = None
    spellings: tuple[tuple[str, int], ...] = ()
    last_spellings: tuple[str, ...] = ()

    @classmethod
    def begun(cls, row: Evidence, value: Value) -> Self:
        """Return the period of `value` that `row` begins and supports."""
        return cls(value, row, row.at, since(row)).supported(row)

    @classmethod
    def past(cls, row: Evidence, value: Value, until: datetime) -> Self:
        """Return the period of which `row` says that it has been."""
        return cls(value, row, row.at, row.valid_from).ended(until).supported(row)

    @property
    def held(self) -> bool:
        """Whether there was a time in which it held."""
        return self.valid_from != self.valid_to

    @property
    def spelling(self) -> str:
        """The spelling of the value to show."""
        times = dict(self.spellings)
        for spelling in self.last_spellings:
            times[spelling] = times.get(spelling, 0) + 1
        return most_frequent(times)

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The latest of the supporting messages, oldest first."""
        return (*chain(*self.former_ids), *self.last_ids)[-SHOWN_MESSAGES:]

    def supported(self, row: Evidence) -> Self:
        """Count `row` as a reason for this period."""
        counts, last = _counted(self.spellings, (*self.last_spellings, spelled(row.object)))
        if row.kind != "said":
            return replace(self, spellings=counts, last_spellings=last)
        last_reinforced = max(self.last_reinforced, row.at)
        if row.message_id in self.last_ids[-1:]:
            return replace(self, spellings=counts, last_spellings=last, last_reinforced=last_reinforced)
        former_ids, last_ids = _kept(self.former_ids, self.last_ids, row.message_id)
        return replace(
            self,
            spellings=counts,
            last_spellings=last,
            last_reinforced=last_reinforced,
            messages=self.messages + 1,
            former_ids=former_ids,
            last_ids=last_ids,
        )

    def contradicted(self, row: Evidence, *, disputed: bool) -> Self:
        """Count `row` as a voice against this period."""
        return replace(
            self,
            disputed=disputed or self.disputed,
            contradictions=self.contradictions + (row.message_id != self.contradicted_by),
            contradicted_by=row.message_id,
        )

    def ended(self, instant: datetime, by: str | None = None) -> Self:
        """Close the period at `instant`, never before it began; `by` is the message that does it."""
        until = instant if self.valid_from is None else max(instant, self.valid_from)
        return replace(self, valid_to=until, ended_by=by)

    def void(self) -> Self:
        """Say that it never held."""
        never = self.valid_from or self.first.at
        return replace(self, valid_from=never, valid_to=never, verified=False, disputed=False)

    def unheld(self, *, disputed: bool) -> Self:
        """Put on record what was said and did not come to hold."""
        return replace(self, valid_from=self.first.at, valid_to=self.first.at, disputed=disputed)


def since(row: Evidence) -> datetime:
    """Return since when a value holds that `row` says holds."""
    return row.valid_from or row.at


def _counted(counts: _Counts, last: _Names) -> tuple[_Counts, _Names]:
    """Count the last spellings, once they make a piece; pairs that stay the same are shared."""
    if len(last) < _PIECE:
        return counts, last
    times = Counter(last)
    added = tuple((pair[0], pair[1] + times.pop(pair[0])) if pair[0] in times else pair for pair in counts)
    return (*added, *times.items()), ()


def _kept(former: tuple[_Names, ...], last: _Names, message_id: str) -> tuple[tuple[_Names, ...], _Names]:
    """Add a message, and drop pieces that are not among the latest any more."""
    if len(last) < _PIECE:
        return former, (*last, message_id)
    return (*former, last)[-SHOWN_MESSAGES // _PIECE :], (message_id,)
