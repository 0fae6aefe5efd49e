"""Asking for facts: which statement a question takes."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from ricordo.memory.facts import FUNCTIONAL, USER, Fact, normalise
from ricordo.store.database import Database
from ricordo.store.fact_rows import fact_of
from ricordo.store.types.facts import FactQuestion

_SQL = Database.queries("asking")
_FUNCTIONAL: Final = sorted(FUNCTIONAL)


async def asked(database: Database, tenant: str, question: FactQuestion) -> Sequence[Fact]:
    """Return facts, most confident first, then most recent."""
    statement, narrowed = _narrowed(question)
    async with database.transaction(tenant, planned_anew=True) as connection:
        found = await connection.fetch(
            _SQL[statement],
            tenant,
            question.user_id,
            ceil(question.min_confidence),
            question.as_of,
            question.history,
            question.limit,
            _FUNCTIONAL,
            *narrowed,
        )
    return [fact_of(row) for row in found]


def _narrowed(question: FactQuestion) -> tuple[str, tuple[object, ...]]:
    """Return the name of the statement, and what it takes beside what all of them do."""
    entity = None if question.entity is None else normalise(question.entity)
    if entity not in (None, USER):
        return "of_entity", (entity, question.predicate)
    about_user = entity == USER
    if question.predicate is None:
        return "of_user", (about_user,)
    return "of_predicate", (about_user, question.predicate)
