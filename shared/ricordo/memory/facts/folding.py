"""Facts as a pure fold over evidence.

The result depends on the set of evidence only, not on its order or repetition. `Folding` computes it
incrementally, `fold` from all evidence; both give the same.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.facts.entity_names import Entity
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.facts.clusters import mentions_of
from ricordo.memory.facts.entity_decisions import EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver
from ricordo.memory.facts.fact_model import Fact, FactChanges, MessageContribution, sort_facts
from ricordo.memory.facts.partitions import FoldedPartition, Partition, partitions_of
from ricordo.memory.facts.slot_histories import REACH, EffectKind
from ricordo.memory.facts.slot_records import PeriodRef
from ricordo.memory.facts.value_periods import ValuePeriod

MAX_CONFIDENCE = 10
_MARGIN: Final = 1.25
"""Allowance for the fragmented memory of a long-running process."""


class Folding:
    """The facts of one user, folded incrementally; some partitions may not be loaded.

    The evidence must carry canonical names, from `identities`.

    Args:
        reach: the fewest rows of a slot that can be undone to insert a late one; >= 1.
    """

    def __init__(self, tenant: str, user_id: str, *, reach: int = REACH) -> None:
        self._scope = f"{tenant}/{user_id}"
        self._reach = reach
        self._parts: dict[Partition, FoldedPartition] = {}
        self._changed: set[Partition] = set()
        self._size = 0
        self.identities: EntityResolver | None = None

    @property
    def size(self) -> int:
        """The memory that this takes, in kilobytes (1,000 bytes), at most.

        One for each partition, slot, row, and undoable row, plus a quarter. Measured: 0.6 to 0.9 of that, for
        ids and values of some 50 characters; up to 1 with ids of 128 and values of 100.
        """
        return round(_MARGIN * self._size) + (0 if self.identities is None else self.identities.size)

    def reaches(self, part: Partition, rows: Iterable[Evidence]) -> bool:
        """Whether the partition is loaded and `rows` are not too late for it."""
        return part in self._parts and all(map(self._parts[part].reaches, rows))

    def forget(self, part: Partition) -> None:
        """Unload a partition: all its evidence has to be added again, and counts as a change."""
        forgotten = self._parts.pop(part, None)
        self._size -= 0 if forgotten is None else forgotten.size
        self._changed.discard(part)

    def add(self, part: Partition, rows: Iterable[Evidence], *, asked: Collection[str] = ()) -> None:
        """Fold `rows` into a partition: all of each message at once, and each message once.

        Args:
            part: one that is not loaded takes all its evidence.
            rows: that concern it. All rows of a message have one instant.
            asked: messages whose contributions to return in `FactChanges`.

        Raises:
            TooLateError: rows come too late; unload the partition.
        """
        if part not in self._parts:
            self._parts[part] = FoldedPartition(part, self._reach)
            self._size += self._parts[part].size
        folded = self._parts[part]
        before = folded.size
        folded.add(rows, asked)
        self._size += folded.size - before
        self._changed.add(part)

    def take_changes(self) -> FactChanges:
        """Return what changed since the last call."""
        facts: list[Fact] = []
        gone: list[UUID] = []
        entities: list[Entity] = []
        shares: dict[str, dict[EffectKind, list[Fact]]] = {}
        for part in (self._parts[one] for one in sorted(self._changed)):
            news, name = part.take_changes(), part.name
            entities += () if news.entity is None else (news.entity,)
            changed = {
                place: self._fact(part, name, place, period)
                for place, period in news.periods.items()
                if period is not None
            }
            facts += changed.values()
            gone += (self._id(part, place) for place, period in news.periods.items() if period is None)
            for share in news.effects:
                fact = changed.get(share.place) or self._fact(part, name, share.place, share.period)
                shares.setdefault(share.message_id, {}).setdefault(share.bearing, []).append(fact)
        self._changed.clear()
        contributions = {
            message_id: MessageContribution(
                **{bearing: sort_facts(found) for bearing, found in of_message.items()}
            )
            for message_id, of_message in shares.items()
        }
        return FactChanges(sort_facts(facts), tuple(gone), tuple(entities), contributions)

    def facts(self) -> tuple[Fact, ...]:
        """Return current and past facts, sorted by subject, predicate, object and period."""
        return sort_facts(
            self._fact(part, part.name, place, period)
            for part in self._parts.values()
            for place, period in part.all_shown()
        )

    def _id(self, part: FoldedPartition, place: PeriodRef) -> UUID:
        (predicate, key), nth = place
        suffix = f"/{nth + 1}" if nth else ""
        return uuid5(NAMESPACE_OID, f"{self._scope}/{part.subject_key}/{predicate}/{key}{suffix}")

    def _fact(self, part: FoldedPartition, subject: str, place: PeriodRef, period: ValuePeriod) -> Fact:
        return Fact(
            id=self._id(part, place),
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


def fold(
    evidence: Iterable[Evidence], *, tenant: str, user_id: str, decisions: Iterable[EntityDecision] = ()
) -> tuple[Fact, ...]:
    """Compute a user's facts from all evidence.

    Order and repetition of `evidence` do not matter. A functional predicate keeps one current value; what it
    supersedes ends when the new one begins. Unknown predicates and blank values are ignored.

    Args:
        evidence: about one user. A message with several instants was said at the first.

    Returns:
        Current and past facts, sorted by subject, predicate, object and period.
    """
    folding = Folding(tenant, user_id)
    parts: dict[Partition, list[Evidence]] = {}
    for row in resolved(_said_at_once(evidence), decisions):
        for part in partitions_of(row):
            parts.setdefault(part, []).append(row)
    for part, rows in parts.items():
        folding.add(part, rows)
    return folding.facts()


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
