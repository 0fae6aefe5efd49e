"""Which facts are worth showing beside recalled memories."""

from collections.abc import Collection, Iterable

from ricordo.domain.facts.entities import normalise
from ricordo.domain.facts.folding import Fact
from ricordo.domain.facts.vocabulary import USER


def surface(
    facts: Iterable[Fact],
    *,
    named_entities: Collection[str] = (),
    predicates: Collection[str] = (),
    limit: int = 10,
    threshold: int = 3,
) -> tuple[Fact, ...]:
    """Choose the facts shown in a recall or a context.

    A current fact is shown when it has at least `threshold` confidence, when the user verified it, when the
    query names an entity it speaks of, or, where it names none, when it asks for the predicate of the user.

    Args:
        facts: the user's facts; those that no longer hold are ignored.
        named_entities: names found in the query, in any spelling.
        predicates: those that the query asks for.
        limit: the most facts to return.
        threshold: confidence (1-10) from which a fact is shown unasked.

    Returns:
        At most `limit` facts, each once: those that are asked for by predicate, then those that speak of a
        named entity, then most confident first, then most recently reinforced.
    """
    named = {normalise(name) for name in named_entities} - {"", USER}

    def is_meant(fact: Fact) -> bool:
        return _speaks_of(fact, named) if named else fact.subject == USER and fact.predicate in predicates

    shown = {
        fact.id: fact
        for fact in facts
        if fact.current and (fact.confidence >= threshold or fact.verified or is_meant(fact))
    }
    order = sorted(
        shown.values(),
        key=lambda fact: (not is_meant(fact), fact.predicate not in predicates, *_rank(fact)),
    )
    return tuple(order[: max(0, limit)])


def _speaks_of(fact: Fact, named: Collection[str]) -> bool:
    return normalise(fact.subject) in named or normalise(fact.object) in named


def _rank(fact: Fact) -> tuple[int, float, str]:
    return -fact.confidence, -fact.last_reinforced.timestamp(), str(fact.id)
