"""Which facts held at an instant, by what was told of their times."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.vocabulary import FUNCTIONAL
from ricordo.memory.facts.folding import Fact

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_EVER: Final = datetime.max.replace(tzinfo=UTC)


def as_of(facts: Iterable[Fact], instant: datetime) -> tuple[Fact, ...]:
    """Return the facts that held at `instant` (aware), in the order given.

    Where what was told of several values of one slot meets, that one held which began last; where nobody
    knows when, that which ended first.
    """
    found = [
        fact
        for fact in facts
        if (fact.valid_from is None or fact.valid_from <= instant)
        and (fact.valid_to is None or instant < fact.valid_to)
        and fact.valid_from != fact.valid_to
    ]
    latest: dict[tuple[str, ...], Fact] = {}
    for fact in sorted(found, key=_lateness):
        latest[_slot(fact)] = fact
    return tuple(fact for fact in found if latest[_slot(fact)] is fact)


def _lateness(fact: Fact) -> tuple[datetime, timedelta, UUID]:
    return fact.valid_from or _NEVER, _EVER - (fact.valid_to or _EVER), fact.id


def _slot(fact: Fact) -> tuple[str, ...]:
    value = () if fact.predicate in FUNCTIONAL else (normalise(fact.object),)
    return normalise(fact.subject), fact.predicate, *value
