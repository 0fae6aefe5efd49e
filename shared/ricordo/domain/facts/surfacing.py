"""Which facts are worth showing beside recalled memories."""

from collections.abc import Collection, Iterable

from ricordo.domain.facts.entities import normalise
from ricordo.domain.facts.folding import Fact
from ricordo.domain.facts.vocabulary import USER


def surface(
    facts: Iterable[Fact], *, named_entities: Collection[str] = (), limit: int = 10, threshold: int = 3
) -> tuple[Fact, ...]:
    """Choose the facts shown in a recall or a context.

    A current fact is shown when it has at least `threshold` confidence, when the user verified it, or when
    the query names an entity it speaks of.

    Args:
        facts: the user's facts; those that no longer hold are ignored.
        named_entities: names found in the query, in any spelling.
        limit: the most facts to return.
        threshold: confidence (1-10) from which a fact is shown unasked.

    Returns:
        At most `limit` facts: those that speak of a named entity, then most confident first, then most
        recently reinforced.
    """
    named = {normalise(name) for name in named_entities} - {"", USER}
    shown = [
        fact
        for fact in facts
        if fact.current and (fact.confidence >= threshold or fact.verified or _speaks_of(fact, named))
    ]
    shown.sort(key=lambda fact: (not _speaks_of(fact, named), *_rank(fact)))
    return tuple(shown[: max(0, limit)])


def _speaks_of(fact: Fact, named: Collection[str]) -> bool:
    return normalise(fact.subject) in named or normalise(fact.object) in named


def _rank(fact: Fact) -> tuple[int, float, str]:
    return -fact.confidence, -fact.last_reinforced.timestamp(), str(fact.id)
