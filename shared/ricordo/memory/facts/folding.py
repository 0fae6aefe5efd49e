"""Facts as a pure fold over evidence, slot by slot.

The result depends on the set of evidence only, not on its order or repetition. `fold` computes it from all
evidence; the store reads and folds the slots that new evidence touches, with `fold_slots`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.facts.entity_names import entities, normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.memory.facts.clusters import mentions_of
from ricordo.memory.facts.entity_decisions import EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver
from ricordo.memory.facts.fact_model import Fact, FoldedFacts, MessageContribution, sort_facts
from ricordo.memory.facts.slot_folding import EffectKind, SlotKey, fold_slot, slot_of
from ricordo.memory.facts.slot_records import PeriodRef
from ricordo.memory.facts.value_periods import ValuePeriod

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
        folded = fold_slot(evidence, asked)
        subject = USER if key.subject == USER else names.get(key.subject, key.subject)
        scope = f"{tenant}/{user_id}/{key.subject}"
        found = {place: _fact(scope, subject, place, period) for place, period in folded.periods.items()}
        facts += found.values()
        for effect in folded.effects:
            of_message = effects.setdefault(effect.message_id, {})
            of_message.setdefault(effect.kind, []).append(found[effect.place])
    contributions = {
        message_id: MessageContribution(**{kind: sort_facts(found) for kind, found in of_message.items()})
        for message_id, of_message in effects.items()
    }
    return FoldedFacts(sort_facts(facts), contributions)


def fold(
    evidence: Iterable[Evidence],
    *,
    tenant: str,
    user_id: str,
    decisions: Iterable[EntityDecision] = (),
) -> tuple[Fact, ...]:
    """Compute a user's facts from all evidence.

    Order and repetition of `evidence` do not matter. A functional predicate keeps one current value; what it
    supersedes ends when the new one begins. Unknown predicates and blank values are ignored.

    Args:
        evidence: about one user. A message with several instants was said at the first.

    Returns:
        Current and past facts, sorted by subject, predicate, object and period.
    """
    rows = list(resolved(_said_at_once(evidence), decisions))
    names = {one.key: one.name for one in entities(rows)}
    return fold_slots(by_slot(rows), names, tenant=tenant, user_id=user_id).facts


def by_slot(evidence: Iterable[Evidence]) -> dict[SlotKey, list[Evidence]]:
    """Group evidence with resolved names by slot."""
    slots: dict[SlotKey, list[Evidence]] = {}
    for row in evidence:
        if (key := slot_of(normalise(row.subject), row.predicate, normalise(row.object))) is not None:
            slots.setdefault(key, []).append(row)
    return slots


def resolved(evidence: Iterable[Evidence], decisions: Iterable[EntityDecision] = ()) -> Iterator[Evidence]:
    """Yield the evidence of the vocabulary with canonical names."""
    rows = [row for row in evidence if row.predicate in PREDICATES]
    identities = EntityResolver((mention for row in rows for mention in mentions_of(row)), decisions)
    return filter(None, map(identities.resolve, rows))


def _said_at_once(evidence: Iterable[Evidence]) -> Iterable[Evidence]:
    rows = list(evidence)
    said: dict[str, datetime] = {}
    for row in rows:
        said[row.message_id] = min(row.at, said.get(row.message_id, row.at))
    return (row if row.at == said[row.message_id] else replace(row, at=said[row.message_id]) for row in rows)


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
        confidence=min(MAX_CONFIDENCE, period.messages),
        first_seen=period.first.at,
        last_reinforced=period.last_reinforced,
        valid_from=period.valid_from,
        valid_to=period.valid_to,
        contradictions=period.contradictions,
        disputed=period.disputed,
        verified=period.verified,
        message_ids=period.message_ids,
    )
