"""Facts as a pure fold over evidence.

What is known follows from the set of evidence alone: messages may come twice, late or out of order, and a
crash may fall between two writes, without changing it. `Folding` computes it from what is new and what it
remembers, `fold` from all evidence; both give the same.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.facts.entity_names import Entity
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.memory.facts.clusters import mentions_of
from ricordo.memory.facts.entity_decisions import EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver
from ricordo.memory.facts.partitions import FoldedPartition, Partition, partitions_of
from ricordo.memory.facts.slot_histories import REACH, EffectKind
from ricordo.memory.facts.slot_records import PeriodRef
from ricordo.memory.facts.value_periods import ValuePeriod

MAX_CONFIDENCE = 10
_MARGIN: Final = 1.25
"""What the same rows take more in a process that has run for long, whose memory is in pieces."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed, since when, how firmly and why.

    Attributes:
        id: the same in every run: of the subject, the predicate, the value, and the number of the period
            unless it is the first. What comes late may move the numbers, never the value.
        subject: `user`, or the entity's canonical name.
        predicate: a name of the closed vocabulary.
        object: the canonical spelling of the value.
        confidence: distinct supporting messages, 0-10 (0: the user's word alone).
        first_seen: when it was first said.
        last_reinforced: when it was last said.
        valid_from: since when it holds; None when only its end is known.
        valid_to: until when (exclusive); None while it holds. Equal to `valid_from` when it never held.
        contradictions: distinct messages that spoke against it.
        disputed: whether such a message is still unsettled.
        verified: whether the user confirmed it.
        message_ids: the latest 100 of the supporting messages, oldest first.
    """

    id: UUID
    subject: str
    predicate: str
    object: str
    confidence: int
    first_seen: datetime
    last_reinforced: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    contradictions: int
    disputed: bool
    verified: bool
    message_ids: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether it holds now, as far as is known."""
        return self.valid_to is None


@dataclass(frozen=True, slots=True)
class MessageContribution:
    """What one message has to do with what is known, as that stands: the same however often it is folded.

    Attributes:
        new: what it supports, and was not known before it.
        reinforced: what it supports, and was known.
        superseded: what held until it said otherwise: that something else holds instead, or that it is over.
            Of several messages that it took, this is the one that tipped the balance.
        disputed: what stands disputed of what it supports, and of what it speaks against.
    """

    new: tuple[Fact, ...] = ()
    reinforced: tuple[Fact, ...] = ()
    superseded: tuple[Fact, ...] = ()
    disputed: tuple[Fact, ...] = ()

    @property
    def supported(self) -> tuple[Fact, ...]:
        """What it supports."""
        return _sorted((*self.new, *self.reinforced))


@dataclass(frozen=True, slots=True)
class FactChanges:
    """What new evidence has made of what is known.

    Attributes:
        facts: those that are new or have become others, as they now stand.
        gone: ids of facts that are no more.
        entities: those that are new or have become others.
        contributions: of the messages that were asked for and have to do with facts, changed or not; what a
            user's word confirms it supports.
    """

    facts: tuple[Fact, ...]
    gone: tuple[UUID, ...]
    entities: tuple[Entity, ...]
    contributions: Mapping[str, MessageContribution]


class Folding:
    """What is known of one user, folded from evidence as it comes; parts of it may be unknown here.

    The evidence carries canonical names: whoever adds it has asked `identities` who is meant.

    Args:
        tenant: the user's tenant; part of each fact's id.
        user_id: the user; part of each fact's id.
        reach: how many rows of a slot can be taken back, at least, to let in one that comes late; >= 1.

    Attributes:
        identities: the people and animals that the evidence mentions; None as long as nobody has read them.
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
        """The most that this takes in memory, in kilobytes (1,000 bytes).

        One for each part, each of its slots, each row, and each row that can be taken back, beside which
        stands what it has changed, and a quarter more. Measured: 0.8 to 0.9 of that where each row gives the
        one value anew, 0.6 where each speaks of something else, less where they say the same, however they
        spell it. That holds for ids and values of some 50 characters; with ids of 128 and values of 100 it is
        up to 1.
        """
        return round(_MARGIN * self._size) + (0 if self.identities is None else self.identities.size)

    def reaches(self, part: Partition, rows: Iterable[Evidence]) -> bool:
        """Whether `part` is known here, and `rows` do not come too late for it."""
        return part in self._parts and all(map(self._parts[part].reaches, rows))

    def forget(self, part: Partition) -> None:
        """Forget a part: all its evidence has to be added again, and counts as a change."""
        forgotten = self._parts.pop(part, None)
        self._size -= 0 if forgotten is None else forgotten.size
        self._changed.discard(part)

    def add(self, part: Partition, rows: Iterable[Evidence], *, asked: Collection[str] = ()) -> None:
        """Fold `rows` into one part: all of each message at once, and each message once.

        Args:
            part: where; one that is unknown here takes all the evidence there is.
            rows: evidence that has a say in it. All that one message says was said at one instant.
            asked: messages of which `FactChanges.contributions` is to tell.

        Raises:
            TooLateError: the part does not reach these rows, and is of no more use.
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
        """Return what has changed since this was last asked."""
        facts: list[Fact] = []
        gone: list[UUID] = []
        entities: list[Entity] = []
        shares: dict[str, dict[EffectKind, list[Fact]]] = {}
        for part in (self._parts[one] for one in sorted(self._changed)):
            news, name = part.take_news(), part.name
            entities += () if news.entity is None else (news.entity,)
            changed = {
                place: self._fact(part, name, place, period)
                for place, period in news.periods.items()
                if period is not None
            }
            facts += changed.values()
            gone += (self._id(part, place) for place, period in news.periods.items() if period is None)
            for share in news.shares:
                fact = changed.get(share.place) or self._fact(part, name, share.place, share.period)
                shares.setdefault(share.message_id, {}).setdefault(share.bearing, []).append(fact)
        self._changed.clear()
        contributions = {
            message_id: MessageContribution(
                **{bearing: _sorted(found) for bearing, found in of_message.items()}
            )
            for message_id, of_message in shares.items()
        }
        return FactChanges(_sorted(facts), tuple(gone), tuple(entities), contributions)

    def facts(self) -> tuple[Fact, ...]:
        """Return current and past facts, sorted by subject, predicate, object and period."""
        return _sorted(
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
    """Compute a user's facts from all the evidence there is.

    The order of `evidence` and repetitions in it do not matter: it is read once, by instant and message id.
    A functional predicate keeps one current value, and what it supersedes ends at the instant the new one
    begins. Predicates outside of the vocabulary and blank values are ignored.

    Args:
        evidence: rows about one user. A message that claims several instants was said at the first.
        tenant: the user's tenant; part of each fact's id.
        user_id: the user; part of each fact's id.
        decisions: what was decided about who is who.

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
    """Yield the evidence of the vocabulary with the canonical names of whom it speaks of."""
    rows = [row for row in evidence if row.predicate in PREDICATES]
    identities = EntityResolver((mention for row in rows for mention in mentions_of(row)), decisions)
    return filter(None, map(identities.resolve, rows))


def _said_at_once(evidence: Iterable[Evidence]) -> Iterable[Evidence]:
    rows = list(evidence)
    said: dict[str, datetime] = {}
    for row in rows:
        said[row.message_id] = min(row.at, said.get(row.message_id, row.at))
    return (row if row.at == said[row.message_id] else replace(row, at=said[row.message_id]) for row in rows)


def _sorted(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(
        sorted(facts, key=lambda f: (f.subject != USER, f.subject, f.predicate, f.object, f.first_seen, f.id))
    )
