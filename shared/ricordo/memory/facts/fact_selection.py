"""Chooses the facts to show with recalled memories."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.vocabulary import SINGLE_VALUED, USER
from ricordo.language.tokenization import stems
from ricordo.memory.facts.fact_model import Fact

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
