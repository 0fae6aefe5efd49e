"""Partitions of the facts of a user, each of which is folded by itself.

A partition is one slot of the user, or an entity with its naming and all its slots.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from ricordo.language.facts.entity_names import Entity, Naming, most_frequent, normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES, USER, PredicateDefinition
from ricordo.memory.facts.slot_histories import MessageEffect, SlotHistory
from ricordo.memory.facts.slot_records import PeriodRef
from ricordo.memory.facts.value_periods import ValuePeriod


class Partition(NamedTuple):
    """The key of a partition.

    Attributes:
        entity: the normalised name of an entity; else the partition is a slot of the user.
        predicate: of the user; of opposites, the first by name.
        object: the normalised object; empty for a functional predicate.
    """

    entity: str = ""
    predicate: str = ""
    object: str = ""

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicates of a slot: one, or one and its opposite."""
        opposite = PREDICATES[self.predicate].opposite
        return (self.predicate,) if opposite is None else (self.predicate, opposite)


def partitions_of(row: Evidence) -> set[Partition]:
    """Return the partitions that `row` concerns."""
    return partitions_for(normalise(row.subject), row.predicate, normalise(row.object))


def partitions_for(subject_key: str, predicate: str, object_key: str) -> set[Partition]:
    """Return the partitions that a statement concerns; none outside of the vocabulary."""
    known = PREDICATES.get(predicate)
    if known is None:
        return set()
    names = {object_key} if known.object_is_entity else set()
    if subject_key != USER:
        return {Partition(name) for name in {subject_key, *names} if name}
    slot = {Partition("", *_slot(known, object_key))} if object_key else set()
    return slot | {Partition(name) for name in names if name}


def _slot(predicate: PredicateDefinition, object_key: str) -> tuple[str, str]:
    """Return the key of a slot: one value of a predicate, or the truth of one statement."""
    if predicate.single_valued:
        return predicate.name, ""
    return min(predicate.name, predicate.opposite or predicate.name), object_key


class PartitionChanges(NamedTuple):
    """What changed in a partition."""

    entity: Entity | None
    periods: Mapping[PeriodRef, ValuePeriod | None]
    effects: Collection[MessageEffect]


class FoldedPartition:
    """A partition, folded from evidence in any order."""

    __slots__ = (
        "_changed",
        "_histories",
        "_naming",
        "_reach",
        "_spellings",
        "_told_mentions",
        "_told_name",
        "size",
        "subject_key",
    )

    def __init__(self, part: Partition, reach: int) -> None:
        self.subject_key = part.entity or USER
        self.size = 1
        self._naming = Naming(part.entity) if part.entity else None
        self._spellings: Counter[str] = Counter()
        self._histories: dict[tuple[str, str], SlotHistory] = {}
        self._reach = reach
        self._changed: set[tuple[str, str]] = set()
        self._told_name = self.name
        self._told_mentions = 0

    @property
    def name(self) -> str:
        """The subject as its facts show it."""
        if self._naming is None:
            return USER
        return most_frequent(self._spellings) if self._spellings else ""

    def reaches(self, row: Evidence) -> bool:
        """Whether `row` is not too late."""
        slot = self._slot_of(row)
        if slot is None or slot not in self._histories:
            return True
        return self._histories[slot].reaches(row)

    def add(self, rows: Iterable[Evidence], asked: Collection[str]) -> None:
        """Fold `rows`: all of each message at once, and each message once.

        Raises:
            TooLateError: a row comes too late; the partition must be discarded.
        """
        rows = list(rows)
        self.size += len(rows)
        if self._naming is not None:
            self._naming.add(rows)
        slots: dict[tuple[str, str], list[Evidence]] = {}
        for row in rows:
            if (slot := self._slot_of(row)) is not None:
                slots.setdefault(slot, []).append(row)
        for slot, found in slots.items():
            if slot not in self._histories:
                self._histories[slot] = SlotHistory(self._spellings, self._reach)
                self.size += 1
            history = self._histories[slot]
            before = history.undoable
            history.add(found, asked)
            self.size += history.undoable - before
        self._changed |= slots.keys()

    def take_changes(self) -> PartitionChanges:
        """Return what changed since the last call."""
        changed, self._changed = self._changed, set()
        periods = {
            place: now
            for slot in changed
            for place, now in self._histories[slot].record.take_changes().items()
        }
        shares = [one for slot in changed for one in self._histories[slot].take_effects()]
        if self._told_name != self.name:
            self._told_name = self.name
            periods |= dict(self.all_shown())
        return PartitionChanges(self._take_entity(), periods, shares)

    def _take_entity(self) -> Entity | None:
        if self._naming is None or self._naming.mentions == self._told_mentions:
            return None
        self._told_mentions = self._naming.mentions
        return self._naming.entity

    def all_shown(self) -> Iterator[tuple[PeriodRef, ValuePeriod]]:
        """Yield all periods."""
        for history in self._histories.values():
            yield from history.record.all_shown()

    def _slot_of(self, row: Evidence) -> tuple[str, str] | None:
        object_key, subject_key = normalise(row.object), normalise(row.subject)
        if subject_key != self.subject_key or (subject_key == USER) != (self._naming is None):
            return None
        return _slot(PREDICATES[row.predicate], object_key) if object_key else None
