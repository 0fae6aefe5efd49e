"""Queries of the facts and entities of a user."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Final

from ricordo.language.facts.entity_names import Entity, normalise
from ricordo.language.facts.kinship import Tie
from ricordo.language.facts.vocabulary import SINGLE_VALUED, USER
from ricordo.memory.facts.fact_model import Fact
from ricordo.store.database import Database, Store
from ricordo.store.rows import entity_of, fact_of

_SQL: Final = Database.queries("fact_queries")
_SINGLE_VALUED: Final = sorted(SINGLE_VALUED)
_RELATIVES: Final = 20  # of one tie
_FROM_THEIR_SIDE: Final = {"has_child": "has_parent", "has_parent": "has_child"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactQuestion:
    """Selects facts of a user; `as_of` asks the past, `history` includes superseded ones."""

    user_id: str
    entity: str | None = None
    predicate: str | None = None
    min_confidence: float = 1
    as_of: datetime | None = None
    history: bool = False
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Relatives:
    """Those whom a chain of ties leads to.

    Attributes:
        names: canonical names, best known first.
        facts: by which each link of the chain is known.
    """

    names: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()


class FactQueries(Store):
    """Reads facts; an unknown user has none. Each method raises `StoreUnavailable` if the store is away."""

    async def facts(self, tenant: str, question: FactQuestion) -> Sequence[Fact]:
        """Return facts, most confident first, then most recent."""
        statement, conditions = _conditions(question)
        found = await self._fetch(
            _SQL[statement],
            tenant,
            question.user_id,
            ceil(question.min_confidence),
            question.as_of,
            question.history,
            question.limit,
            _SINGLE_VALUED,
            *conditions,
            planned_anew=True,
        )
        return [fact_of(row) for row in found]

    async def entity(self, tenant: str, user_id: str, name: str) -> Entity | None:
        """Return the entity with this name or alias, in any spelling; never the user."""
        key = normalise(name)
        if key in ("", USER):
            return None
        row = await self._fetchrow(_SQL["entity"], tenant, user_id, key)
        return None if row is None else entity_of(row)

    async def of_messages(self, tenant: str, user_id: str, messages: Sequence[str]) -> Sequence[Fact]:
        """Return the facts that messages support, those that hold no more too; most confident first."""
        return [fact_of(row) for row in await self._fetch(_SQL["of_messages"], tenant, user_id, messages)]

    async def relatives(
        self,
        tenant: str,
        user_id: str,
        first: Tie,
        stored: Sequence[str],
        further: Sequence[tuple[Tie, Sequence[str]]] = (),
    ) -> Relatives:
        """Return whom ties lead to: "my sister", and from her "her husband"; at most 20 at each step.

        Args:
            first: ties to the user; `stored` are the texts that it has beside evidence.
            further: each ties to whoever was found before, with the words of which a message holds one.
        """
        rows = await self._fetch(_SQL["tied"], tenant, user_id, first.predicate, stored, _RELATIVES)
        names = [row["who"] for row in rows]
        facts = [fact_of(row) for row in rows if row["id"] is not None]
        for tie, said in further:
            keys = [normalise(name) for name in names]
            side = _FROM_THEIR_SIDE.get(tie.predicate, tie.predicate)
            words = rf"\m({'|'.join(map(re.escape, said))})\M" if said else ""
            asked = (keys, tie.predicate, side, words, _RELATIVES)
            found = await self._fetch(_SQL["tied_to"], tenant, user_id, *asked)
            steps = [fact_of(row) for row in found]
            names = [one.object if normalise(one.subject) in keys else one.subject for one in steps]
            facts += steps
        return Relatives(tuple(dict.fromkeys(names)), tuple(facts))

    async def about_user(
        self, tenant: str, user_id: str, *, predicates: Sequence[str], limit: int
    ) -> Sequence[Fact]:
        """Return current facts about the user in person, by `predicates`, then most confident first."""
        asked = user_id, predicates, USER, limit
        return [fact_of(row) for row in await self._database.read("facts_about_user", tenant, *asked)]


def _conditions(question: FactQuestion) -> tuple[str, tuple[object, ...]]:
    entity = None if question.entity is None else normalise(question.entity)
    if entity not in (None, USER):
        return "of_entity", (entity, question.predicate)
    about_user = entity == USER
    if question.predicate is None:
        return "of_user", (about_user,)
    return "of_predicate", (about_user, question.predicate)
