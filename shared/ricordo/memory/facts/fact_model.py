"""Facts, and what messages contribute to them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.vocabulary import USER


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed, since when, how firmly and why.

    Attributes:
        id: derived from subject, predicate, value, and the number of the period unless it is the first. Late
            evidence may change the number, never the value.
        subject: `user`, or the canonical name of an entity.
        object: the canonical spelling of the value.
        confidence: distinct supporting messages, 0-10 (0: the user's assertion alone).
        valid_from: since when it holds; None when only its end is known.
        valid_to: until when (exclusive); None while it holds. Equal to `valid_from` when it never held.
        message_ids: the latest 100 supporting messages, oldest first.
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
        """Whether it holds now."""
        return self.valid_to is None

    def speaks_of(self, names: Collection[str]) -> bool:
        """Whether its subject or object is one of `names`, in any spelling."""
        keys = set(map(normalise, names))
        return normalise(self.subject) in keys or normalise(self.object) in keys


@dataclass(frozen=True, slots=True)
class MessageContribution:
    """The effects of one message on the facts as they stand now.

    Attributes:
        new: facts that it was the first to support.
        reinforced: known facts that it supports.
        superseded: facts that it ended, as the message that tipped the balance.
        disputed: disputed facts that it supports or contradicts.
    """

    new: tuple[Fact, ...] = ()
    reinforced: tuple[Fact, ...] = ()
    superseded: tuple[Fact, ...] = ()
    disputed: tuple[Fact, ...] = ()

    @property
    def supported(self) -> tuple[Fact, ...]:
        """What it supports."""
        return sort_facts((*self.new, *self.reinforced))


@dataclass(frozen=True, slots=True)
class FoldedFacts:
    """All facts of slots.

    Attributes:
        contributions: of the requested messages that have to do with these facts; a message that a user's
            assertion confirms supports the fact.
    """

    facts: tuple[Fact, ...]
    contributions: Mapping[str, MessageContribution]


def sort_facts(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Sort facts by subject, the user first, predicate, object and period."""
    return tuple(
        sorted(facts, key=lambda f: (f.subject != USER, f.subject, f.predicate, f.object, f.first_seen, f.id))
    )
