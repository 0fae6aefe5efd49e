"""Pages of a user's entities, in an order that holds while evidence arrives and goes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.memory.facts import OBJECT_KINDS, SUBJECT_KINDS, Entity, Fact
from ricordo.store.database import Connection, Database, Store
from ricordo.store.memory_listings import LIFETIME, STORED, UnknownListing
from ricordo.store.rows import entity_of, fact_of

_SQL: Final = Database.queries("entity_listings")
_LISTINGS: Final = Database.queries("memory_listings")
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
    """Lists the entities of a user, most mentioned first, then by name. Raises `StoreUnavailable`.

    Args:
        chunk: the number of entities in a row of a stored listing.
    """

    def __init__(self, database: Database, *, chunk: int = 1_000) -> None:
        super().__init__(database)
        self._chunk = chunk

    async def store(
        self, tenant: str, user_id: str, *, kind: str | None, token: bytes, now: datetime, limit: int
    ) -> tuple[int, Sequence[ListedEntity]]:
        """Store the order of the entities of a kind, or all; return their number and the first.

        A listing of fewer than `limit` entities is not stored. See `MemoryListings.store`.

        Args:
            token: random; it finds the listing.
        """
        listing_id, salt = _listing(token)
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            await connection.execute(_LISTINGS["lock"], tenant, user_id)
            values = (kind, listing_id, salt, now, self._chunk)
            total = int(await connection.fetchval(_SQL["store"], tenant, user_id, *_KIND_COLUMNS, *values))
            first = await self._read(connection, (tenant, user_id), token, range(total), limit)
            if total >= limit:
                await connection.execute(_LISTINGS["drop_surplus"], tenant, user_id, STORED)
            else:
                await connection.execute(_LISTINGS["drop"], tenant, user_id, listing_id)
        return total, first

    async def stored(
        self, tenant: str, user_id: str, token: bytes, now: datetime, *, after: int, limit: int
    ) -> Sequence[ListedEntity]:
        """Return the next entities of a stored listing that are still there.

        Raises:
            UnknownListing: the user has no such listing, or it has expired.
        """
        listing_id, _ = _listing(token)
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            chunks = await connection.fetchval(
                _LISTINGS["chunks"], tenant, user_id, listing_id, now - LIFETIME
            )
            if not chunks:
                raise UnknownListing(f"there is no listing {listing_id}")
            places = range(after, chunks * self._chunk)
            return await self._read(connection, (tenant, user_id), token, places, limit)

    async def _read(
        self, connection: Connection, owner: tuple[str, str], token: bytes, places: range, limit: int
    ) -> Sequence[ListedEntity]:
        """Return the first entities of a stored listing behind the start of `places`, chunk by chunk."""
        listing_id, salt = _listing(token)
        found, after = list[dict[str, Any]](), places.start
        while len(found) < limit and after < places.stop:
            chunk, offset = divmod(after, self._chunk)
            values = (listing_id, chunk, offset, salt, limit - len(found))
            rows = await connection.fetch(_SQL["listed"], *owner, *_KIND_COLUMNS, *values)
            found += [dict(row) | {"place": chunk * self._chunk + row["place"]} for row in rows]
            after = (chunk + 1) * self._chunk
        facts: defaultdict[str, list[Fact]] = defaultdict(list)
        keys = [row["key"] for row in found]
        for row in await connection.fetch(_SQL["facts"], *owner, keys, _FACTS):
            facts[row["entity_key"]].append(fact_of(row))
        return [
            ListedEntity(
                entity=entity_of(row),
                facts=facts[row["key"]],
                **{name: row[name] for name in ("place", "kind", "ties", "first_seen", "last_seen")},
            )
            for row in found
        ]


def _listing(token: bytes) -> tuple[UUID, str]:
    """Return the id of a listing, and the salt of its hashes, which does not follow from the id."""
    return uuid5(NAMESPACE_OID, token.hex()), token.hex()
