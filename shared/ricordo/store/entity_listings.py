"""Pages of a user's entities, in an order that holds while evidence arrives and goes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.facts.entity_names import Entity
from ricordo.language.facts.vocabulary import OBJECT_KINDS, SUBJECT_KINDS
from ricordo.memory.facts.fact_model import Fact
from ricordo.store.database import Connection, Database, Store
from ricordo.store.memory_listings import StoredOrder
from ricordo.store.rows import build, entity_of, fact_of

_SQL: Final = Database.queries("entity_listings")
_KINDS: Final = [
    *(("object", *one) for one in OBJECT_KINDS.items()),
    *(("subject", *one) for one in SUBJECT_KINDS.items()),
]
_KIND_COLUMNS: Final = tuple(map(list, zip(*_KINDS, strict=True)))
_FACTS: Final = 5  # of an entity


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntity:
    """An entity with its place in a listing, from 1.

    Attributes:
        kind: person, animal, place, organisation or thing; None if its facts do not say.
        ties: predicates of the current facts between the user and it, most confident first.
        first_seen, last_seen: when its facts were first and last stated; None if it has none.
        facts: its most confident current ones.
    """

    entity: Entity
    place: int
    kind: str | None
    ties: Sequence[str]
    first_seen: datetime | None
    last_seen: datetime | None
    facts: Sequence[Fact]


class EntityListings(Store):
    """Lists the entities of a user, most mentioned first, then by name. Raises `StoreUnavailable`."""

    chunk = 1_000
    """The number of entities in a row of a stored listing."""

    def by_mentions(
        self, tenant: str, user_id: str, kind: str | None, listing: UUID
    ) -> StoredOrder[ListedEntity]:
        """Return the order of the entities of a kind, or all, as it was or is to be stored as `listing`.

        Args:
            listing: random; from it follow the id in the database and, not from that, the salt of its hashes.
        """
        salt = listing.hex
        return StoredOrder(
            database=self._database,
            conditions=(tenant, user_id, *_KIND_COLUMNS, salt),
            listing_id=uuid5(NAMESPACE_OID, salt),
            store=_SQL["store"],
            by=kind,
            listed=_SQL["listed"],
            chunk=self.chunk,
            shown=partial(_with_facts, tenant, user_id),
        )


async def _with_facts(
    tenant: str, user_id: str, connection: Connection, rows: Sequence[Mapping[str, Any]]
) -> Sequence[ListedEntity]:
    facts: defaultdict[str, list[Fact]] = defaultdict(list)
    keys = [row["key"] for row in rows]
    for row in await connection.fetch(_SQL["facts"], tenant, user_id, keys, _FACTS):
        facts[row["entity_key"]].append(fact_of(row))
    return [build(ListedEntity, row, entity=entity_of(row), facts=facts[row["key"]]) for row in rows]
