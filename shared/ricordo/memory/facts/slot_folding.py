"""Folds one slot: the values of a functional predicate, or the truth of one statement.

Slots are folded by themselves, from all their evidence. Assertions that the user takes back count as never
made.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence, order
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.memory.facts.slot_records import PeriodRef
from ricordo.memory.facts.slots import Slot
from ricordo.memory.facts.value_periods import Value, ValuePeriod


class SlotKey(NamedTuple):
    """The key of a slot.

    Attributes:
        subject: `user`, or the normalised name of an entity.
        predicate: of opposites, the first by name.
        object: the normalised object; empty for a functional predicate.
    """

    subject: str
    predicate: str
    object: str = ""

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicates of a slot: one, or one and its opposite."""
        opposite = PREDICATES[self.predicate].opposite
        return (self.predicate,) if opposite is None else (self.predicate, opposite)


def slot_of(subject_key: str, predicate: str, object_key: str) -> SlotKey | None:
    """Return the slot of a statement; None outside of the vocabulary and for blank names."""
    known = PREDICATES.get(predicate)
    if known is None or not subject_key or not object_key:
        return None
    if known.single_valued:
        return SlotKey(subject_key, predicate)
    return SlotKey(subject_key, min(predicate, known.opposite or predicate), object_key)


def entity_keys(subject_key: str, predicate: str, object_key: str) -> set[str]:
    """Return the keys of the entities that a statement names."""
    known = PREDICATES.get(predicate)
    if known is None:
        return set()
    subject = set() if subject_key == USER else {subject_key}
    return (subject | ({object_key} if known.object_is_entity else set())) - {""}


EffectKind = Literal["new", "reinforced", "superseded", "disputed"]
"""The first supporter, another supporter, what ended it, or a party to a dispute. The first two exclude each
other.
"""


class MessageEffect(NamedTuple):
    """The effect of a message on one period."""

    message_id: str
    kind: EffectKind
    place: PeriodRef


class FoldedSlot(NamedTuple):
    """The periods of a slot, and the effects of the requested messages on them."""

    periods: dict[PeriodRef, ValuePeriod]
    effects: Sequence[MessageEffect]


class _RowEffects(NamedTuple):
    supported: list[tuple[Value, Evidence]]
    ended: list[PeriodRef]


def fold_slot(evidence: Iterable[Evidence], asked: Collection[str] = ()) -> FoldedSlot:
    """Fold all evidence of a slot, in any order; repetitions do not count.

    Args:
        asked: messages whose effects to return.
    """
    rows = sorted(evidence, key=order)
    retracted = _retracted_rows(rows) if any(row.kind != "said" for row in rows) else ()
    slot = Slot()
    effects: dict[str, _RowEffects] = {}
    message_id, repeated = "", set[tuple[object, ...]]()
    for nth, row in enumerate(rows):
        if row.message_id != message_id:
            message_id = row.message_id
            repeated.clear()
        value = _value_of(row)
        said = (value, row.kind, row.polarity, row.valid_from, row.valid_to)
        if said in repeated or nth in retracted:
            continue
        repeated.add(said)
        if slot.apply(row, value) and message_id in asked:
            row_effects = effects.setdefault(message_id, _RowEffects([], []))
            if slot.supported is not None:
                row_effects.supported.append((value, slot.supported))
            if slot.ended is not None:
                row_effects.ended.append(slot.ended)
    periods = dict(slot.record.all_shown())
    return FoldedSlot(periods, list(_effects(slot, periods, effects)))


def _effects(
    slot: Slot, periods: dict[PeriodRef, ValuePeriod], effects: dict[str, _RowEffects]
) -> Iterator[MessageEffect]:
    for message_id, row_effects in effects.items():
        supported = {slot.record.place_of(value, first) for value, first in row_effects.supported}
        for place in supported & periods.keys():
            first = periods[place].first.message_id == message_id
            yield MessageEffect(message_id, "new" if first else "reinforced", place)
        for place in periods.keys() & set(row_effects.ended):
            if periods[place].ended_by == message_id:
                yield MessageEffect(message_id, "superseded", place)
        current = slot.record.current
        for place in periods.keys() & (supported if current is None else {*supported, current}):
            if periods[place].disputed:
                yield MessageEffect(message_id, "disputed", place)


def _value_of(row: Evidence) -> Value:
    return row.predicate, normalise(row.object)


def _retracted_rows(rows: Sequence[Evidence]) -> Collection[int]:
    """Return the places of assertions that later rows retract.

    Retracting a correction also retracts the rejection of the value that it replaced.

    Args:
        rows: of one slot, in order.
    """
    unverified: set[Value] = set()
    restored: set[tuple[Value, object]] = set()
    corrections: set[str] = set()
    found: set[int] = set()
    for nth in reversed(range(len(rows))):
        row = rows[nth]
        value = _value_of(row)
        if row.kind == "unverified":
            unverified.add(value)
        elif row.kind == "restored":
            restored.add((value, row.valid_to))
        elif row.kind == "verified" and value in unverified:
            corrections.add(row.message_id)
            found.add(nth)
        elif row.kind == "rejected" and (row.message_id in corrections or (value, row.at) in restored):
            found.add(nth)
    return found
