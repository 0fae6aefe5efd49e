"""Facts, what messages contribute to them, and which of them are shown with recalled memories."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.vocabulary import FACT_TYPES, SINGLE_VALUED, USER, FactType
from ricordo.language.tokenization import stems


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
    def fact_type(self) -> FactType:
        """What it tells of its subject."""
        return FACT_TYPES.get(self.predicate, "knowledge")

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


PROFILE: Final = (
    "name",
    "lives_in",
    "works_at",
    "works_as",
    "partner",
    "has_child",
    "has_pet",
    "allergic_to",
    "likes",
)
"""Predicates of the core profile, in the order shown; an age would grow stale."""
_CORE_CONFIDENCE: Final = 2
_OF_EACH: Final = 3


def core_profile(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Choose the facts of the core profile, in the order of `PROFILE`, at most three of each predicate.

    Functional predicates (name, home) enter from confidence 1, others from 2 or when verified; disputed and
    past facts never do.

    Args:
        facts: about the user, of each predicate the most confident first.
    """
    chosen: dict[str, list[Fact]] = {name: [] for name in PROFILE}
    for fact in facts:
        sure = fact.predicate in SINGLE_VALUED or fact.confidence >= _CORE_CONFIDENCE or fact.verified
        if fact.predicate in chosen and sure and fact.current and not fact.disputed:
            chosen[fact.predicate].append(fact)
    return tuple(fact for each in chosen.values() for fact in each[:_OF_EACH])


def select_facts(
    facts: Iterable[Fact],
    *,
    named_entities: Collection[str] = (),
    predicates: Sequence[str] = (),
    besides: frozenset[str] = frozenset(),
    language: str = "",
    limit: int = 10,
    threshold: int = 3,
) -> tuple[Fact, ...]:
    """Choose the facts shown in a recall or a context.

    A current fact is shown when it has at least `threshold` confidence, is verified, speaks of an entity that
    the query names, or, where it names none, has a predicate that the query asks of the user. "Do I like
    broccoli?" asks for dislikes, too, and for a fact whose object holds the word first.

    Args:
        predicates: asked for, most wanted first.
        besides: stems of words of the query that ask for no predicate.
        threshold: confidence (1-10) from which a fact is shown unasked.

    Returns:
        Distinct facts: those about the user whose object is named by such a word, then those asked for, by
            predicate, then those of a named entity, then by confidence and recency.
    """
    named = {normalise(name) for name in named_entities} - {"", USER}
    wanted = {predicate: place for place, predicate in reversed(list(enumerate(predicates)))}

    def is_meant(fact: Fact) -> bool:
        return fact.speaks_of(named) if named else fact.subject == USER and fact.predicate in wanted

    def is_named(fact: Fact) -> bool:
        return fact.subject == USER and not besides.isdisjoint(stems(fact.object, language))

    def place(fact: Fact) -> tuple[bool, bool, int]:
        return not is_named(fact), not is_meant(fact), wanted.get(fact.predicate, len(predicates))

    shown = {
        fact.id: fact
        for fact in facts
        if fact.current
        and (fact.confidence >= threshold or fact.verified or is_meant(fact) or is_named(fact))
    }
    order = sorted(shown.values(), key=lambda fact: (*place(fact), *_rank(fact)))
    return tuple(order[: max(0, limit)])


def _rank(fact: Fact) -> tuple[int, float, str]:
    return -fact.confidence, -fact.last_reinforced.timestamp(), str(fact.id)
