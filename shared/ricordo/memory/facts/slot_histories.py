"""The rows of one slot in order, with an undo log for rows that arrive late.

A late row is inserted by undoing the rows after it and applying them again. The same is done when the user
takes an assertion back, which then counts as never said.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from ricordo.language.facts.entity_names import normalise, spelled
from ricordo.language.facts.evidence import Evidence, Kind, Order, order
from ricordo.memory.facts.slot_records import PeriodRef, Undo
from ricordo.memory.facts.slots import Slot
from ricordo.memory.facts.value_periods import Value, ValuePeriod

ASSERTION_KINDS: Final[frozenset[Kind]] = frozenset(("verified", "rejected"))
"""Assertions of the user about a value."""

RETRACTION_KINDS: Final[frozenset[Kind]] = frozenset(("unverified", "restored"))
"""Retractions of such assertions."""


def value_of(row: Evidence) -> Value:
    """Return the value that a row is about."""
    return row.predicate, normalise(row.object)


def retracted_rows(rows: Sequence[Evidence]) -> Collection[int]:
    """Return the places of assertions that later rows retract.

    Retracting a correction also retracts the rejection of the value that it replaced.

    Args:
        rows: of one slot, in order; all from some instant on.
    """
    unverified: set[Value] = set()
    restored: set[tuple[Value, object]] = set()
    corrections: set[str] = set()
    found: set[int] = set()
    for nth in reversed(range(len(rows))):
        row = rows[nth]
        if row.kind == "unverified":
            unverified.add(value_of(row))
        elif row.kind == "restored":
            restored.add((value_of(row), row.valid_to))
        elif row.kind == "verified" and value_of(row) in unverified:
            corrections.add(row.message_id)
            found.add(nth)
        elif row.kind == "rejected" and (
            row.message_id in corrections or (value_of(row), row.at) in restored
        ):
            found.add(nth)
    return found


REACH: Final = 128
"""The fewest rows of a slot that can be undone: messages come late by a batch or two."""


class TooLateError(Exception):
    """A row comes before those that can be undone: all evidence has to be read again."""


EffectKind = Literal["new", "reinforced", "superseded", "disputed"]
"""The first supporter, another supporter, what ended it, or a party to a dispute. The first two exclude each
other.
"""


class MessageEffect(NamedTuple):
    """The effect of a message on one period, as that stands now."""

    message_id: str
    bearing: EffectKind
    place: PeriodRef
    period: ValuePeriod


class _RowEffects(NamedTuple):
    supported: list[tuple[Value, Evidence]]
    ended: list[PeriodRef]


class _AppliedRow(NamedTuple):
    """A row and its undo; None when it repeats its message, or is retracted."""

    row: Evidence
    undo: Undo | None

    @property
    def is_word(self) -> bool:
        """Whether it is an assertion that counts."""
        return self.undo is not None and self.row.kind in ASSERTION_KINDS


class SlotHistory:
    """One slot and its latest rows.

    Args:
        spellings: counts of the spellings of the subject over all its slots; updated here.
        reach: the fewest rows that can be undone; >= 1.
    """

    __slots__ = ("_applied", "_asked", "_beyond", "_met", "_reach", "_slot", "_spellings", "_words", "record")

    def __init__(self, spellings: Counter[str], reach: int) -> None:
        self._slot = Slot()
        self.record = self._slot.record
        self._spellings = spellings
        self._reach = reach
        self._applied: list[_AppliedRow] = []
        self._beyond: Order | None = None  # of the last row that cannot be taken back
        self._words: frozenset[Value] = frozenset()  # of which the user has said something up to there
        self._met: set[tuple[object, ...]] = set()
        self._asked: dict[str, _RowEffects] = {}

    @property
    def undoable(self) -> int:
        """How many rows can be undone."""
        return len(self._applied)

    def reaches(self, row: Evidence) -> bool:
        """Whether `row` is not too late, nor the assertion that it retracts."""
        if self._beyond is None:
            return True
        return self._beyond < order(row) and not (
            row.kind in RETRACTION_KINDS and value_of(row) in self._words
        )

    def add(self, rows: Sequence[Evidence], asked: Collection[str] = ()) -> None:
        """Apply `rows` in order among all others; record the effects of `asked` messages.

        Raises:
            TooLateError: a row comes too late; nothing was changed.
        """
        coming = sorted(rows, key=order)
        if not all(map(self.reaches, coming)):
            raise TooLateError
        if coming:
            coming = sorted([*self._taken_back(self._start(coming)), *coming], key=order)
        left_out = retracted_rows(coming)
        for nth, row in enumerate(coming):
            self._apply(row, asked, counts=nth not in left_out)

    def take_effects(self) -> Iterator[MessageEffect]:
        """Yield the effects of the requested messages since the last call."""
        asked, self._asked = self._asked, {}
        for message_id, row_effects in asked.items():
            supported = {self.record.place_of(value, first) for value, first in row_effects.supported}
            for place in supported:
                if (period := self.record.shown(place)) is not None:
                    first = period.first.message_id == message_id
                    yield MessageEffect(message_id, "new" if first else "reinforced", place, period)
            for place in set(row_effects.ended):
                if (period := self.record.shown(place)) is not None and period.ended_by == message_id:
                    yield MessageEffect(message_id, "superseded", place, period)
            spoken_of = supported if self.record.current is None else {*supported, self.record.current}
            for place in spoken_of:
                if (period := self.record.shown(place)) is not None and period.disputed:
                    yield MessageEffect(message_id, "disputed", place, period)

    def _start(self, coming: Sequence[Evidence]) -> Order:
        """Return where to start again: the first new row, or an assertion that is retracted."""
        start = order(coming[0])
        values = {value_of(row) for row in coming if row.kind in RETRACTION_KINDS}
        if not values:
            return start
        words = {one.row.message_id for one in self._applied if one.is_word and value_of(one.row) in values}
        first = next((one.row for one in self._applied if one.row.message_id in words), coming[0])
        return min(start, order(first))

    def _apply(self, row: Evidence, asked: Collection[str], *, counts: bool) -> None:
        if self._applied and self._applied[-1].row.message_id != row.message_id:
            self._forget()
        value, said = value_of(row), _said(row)
        if said in self._met or not counts:
            self._applied.append(_AppliedRow(row, None))
            return
        self._met.add(said)
        self._spellings[spelled(row.subject)] += 1
        undo = self._slot.apply(row, value)
        self._applied.append(_AppliedRow(row, undo))
        if row.message_id not in asked or not undo:
            return
        row_effects = self._asked.setdefault(row.message_id, _RowEffects([], []))
        if self._slot.supported is not None:
            row_effects.supported.append((value, self._slot.supported))
        if self._slot.ended is not None:
            row_effects.ended.append(self._slot.ended)

    def _taken_back(self, start: Order) -> Iterator[Evidence]:
        while self._applied and start <= order(self._applied[-1].row):
            row, undo = self._applied.pop()
            self._asked.pop(row.message_id, None)
            if undo is not None:
                self.record.take_back(undo)
                self._met.discard(_said(row))
                self._spellings -= Counter((spelled(row.subject),))
            yield row

    def _forget(self) -> None:
        """Drop the undo of the oldest rows, by whole messages, at twice the reach."""
        if len(self._applied) <= 2 * self._reach:
            return
        kept = len(self._applied) - self._reach
        while kept and self._applied[kept].row.message_id == self._applied[kept - 1].row.message_id:
            kept -= 1
        for one in self._applied[:kept]:
            self._met.discard(_said(one.row))
        if kept:
            self._beyond = order(self._applied[kept - 1].row)
            self._words |= {value_of(one.row) for one in self._applied[:kept] if one.is_word}
            del self._applied[:kept]


def _said(row: Evidence) -> tuple[object, ...]:
    """Return the identity of what a row says; repetitions within a message do not count."""
    return (
        row.message_id,
        row.predicate,
        normalise(row.object),
        row.kind,
        row.polarity,
        row.valid_from,
        row.valid_to,
    )
