"""Facts as a pure fold over evidence, slot by slot.

The result depends on the set of evidence only, not on its order or repetition; it is that of folding all
evidence at once. The store reads and folds the slots that new evidence touches. A slot holds the values of a
functional predicate, or the truth of one statement; assertions that the user takes back count as never made.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence, order
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.memory.facts.fact_model import Fact, FoldedFacts, MessageContribution, sort_facts
from ricordo.memory.facts.slots import PeriodRef, Slot
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


def fold_slot(evidence: Iterable[Evidence]) -> dict[PeriodRef, ValuePeriod]:
    """Return the periods of a slot by all its evidence, in any order; repetitions do not count."""
    rows = sorted(evidence, key=order)
    retracted = _retracted_rows(rows) if any(row.kind != "said" for row in rows) else ()
    slot = Slot()
    message_id, repeated = "", set[tuple[object, ...]]()
    for nth, row in enumerate(rows):
        if row.message_id != message_id:
            message_id = row.message_id
            repeated.clear()
        value = _value_of(row)
        said = (value, row.kind, row.polarity, row.valid_from, row.valid_to)
        if said not in repeated and nth not in retracted:
            repeated.add(said)
            slot.apply(row, value)
    return slot.periods()


def _effects(message_id: str, period: ValuePeriod) -> Iterator[EffectKind]:
    """Yield the effects of a message, or of a request of the user, on one period."""
    supports = message_id in period.supporters or message_id in period.confirmed_by
    if supports:
        yield "new" if period.first.message_id == message_id else "reinforced"
    if period.ended_by == message_id and not period.void:
        yield "superseded"
    if period.disputed and (supports or message_id in period.opponents):
        yield "disputed"


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


MAX_CONFIDENCE: Final = 10


def fold_slots(
    slots: Mapping[SlotKey, Sequence[Evidence]],
    names: Mapping[str, str],
    *,
    tenant: str,
    user_id: str,
    asked: Collection[str] = (),
) -> FoldedFacts:
    """Fold slots of one user.

    Args:
        slots: all evidence of each, with resolved names.
        names: of the entities that are subjects, by key.
        asked: messages whose contributions to return.
    """
    facts: list[Fact] = []
    effects: dict[str, dict[EffectKind, list[Fact]]] = {}
    for key, evidence in slots.items():
        subject = USER if key.subject == USER else names.get(key.subject, key.subject)
        scope = f"{tenant}/{user_id}/{key.subject}"
        here = {row.message_id for row in evidence}.intersection(asked)
        for place, period in fold_slot(evidence).items():
            fact = _fact(scope, subject, place, period)
            facts.append(fact)
            for message_id in here:
                for kind in _effects(message_id, period):
                    effects.setdefault(message_id, {}).setdefault(kind, []).append(fact)
    contributions = {
        message_id: MessageContribution(**{kind: sort_facts(found) for kind, found in of_message.items()})
        for message_id, of_message in effects.items()
    }
    return FoldedFacts(sort_facts(facts), contributions)


def by_slot(evidence: Iterable[Evidence]) -> dict[SlotKey, list[Evidence]]:
    """Group evidence with resolved names by slot."""
    slots: dict[SlotKey, list[Evidence]] = {}
    for row in evidence:
        if (key := slot_of(normalise(row.subject), row.predicate, normalise(row.object))) is not None:
            slots.setdefault(key, []).append(row)
    return slots


def _id(scope: str, place: PeriodRef) -> UUID:
    (predicate, key), nth = place
    suffix = f"/{nth + 1}" if nth else ""
    return uuid5(NAMESPACE_OID, f"{scope}/{predicate}/{key}{suffix}")


def _fact(scope: str, subject: str, place: PeriodRef, period: ValuePeriod) -> Fact:
    return Fact(
        id=_id(scope, place),
        subject=subject,
        predicate=period.value[0],
        object=period.spelling,
        confidence=min(MAX_CONFIDENCE, len(period.supporters)),
        first_seen=period.first.at,
        last_reinforced=period.last_reinforced,
        valid_from=period.valid_from,
        valid_to=period.valid_to,
        contradictions=len(period.opponents),
        disputed=period.disputed,
        verified=period.verified,
        message_ids=period.message_ids,
    )
