"""Pages of memories and entities, in orders that hold while what they list comes and goes; and of users."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.facts.entity_names import Entity
from ricordo.language.facts.vocabulary import OBJECT_KINDS, SUBJECT_KINDS
from ricordo.memory.facts.fact_model import Fact
from ricordo.messages.enumerations import PeriodLength
from ricordo.messages.listings import PeriodsReply, UserView
from ricordo.store.database import Connection, Database, Store
from ricordo.store.rows import build, entity_of, fact_of

T = TypeVar("T")
_SQL: Final = Database.queries("memory_listings")
_ENTITIES: Final = Database.queries("entity_listings")
_KINDS: Final = [
    *(("object", *one) for one in OBJECT_KINDS.items()),
    *(("subject", *one) for one in SUBJECT_KINDS.items()),
]
_KIND_COLUMNS: Final = tuple(map(list, zip(*_KINDS, strict=True)))
_FACTS: Final = 5  # of an entity
LIFETIME: Final = timedelta(hours=1)
"""How long a stored listing can be read."""
STORED: Final = 40
"""How many stored listings a user has."""


class UnknownListing(LookupError):
    """The user has no such listing, or it has expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingScope:
    """Conditions on memories; all must hold.

    Attributes:
        start, end: of the range in which a memory was created, or that holds one of its event times.
        participants: any of these, as they are written; None for any.
        topics, tags, locations: as `participants`.
        above_valence, below_valence: exclusive bounds.
        patterns: regular expressions that the content must match.
        refs: any of these, by `type:id`.
        pinned: None for either.
    """

    start: datetime | None = None
    end: datetime | None = None
    participants: Sequence[str] | None = None
    topics: Sequence[str] | None = None
    types: Sequence[str] = ()
    kinds: Sequence[str] = ()
    above_valence: float | None = None
    below_valence: float | None = None
    min_importance: float | None = None
    include_archived: bool = False
    include_uninformative: bool = False
    patterns: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    locations: Sequence[str] | None = None
    refs: Sequence[str] = ()
    conversation_id: str | None = None
    times_of_day: Sequence[str] = ()
    days_of_week: Sequence[str] = ()
    pinned: bool | None = None


class MemoryPlace(NamedTuple):
    """Place of a memory in the order of time."""

    id: UUID
    created_at: datetime


class ListedMemory(NamedTuple):
    """Place of a memory in a stored listing, from 1."""

    id: UUID
    place: int


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOrder(Generic[T]):
    """An order that changes: it is stored in chunks of ids, and read in pages. Raises `StoreUnavailable`.

    Attributes:
        conditions: on what is listed; tenant and user first.
        listing_id: of the listing that is stored or read.
        store: a statement that takes the conditions, the listing, now, `by` and `chunk`, and counts.
        listed: one that takes the conditions, the listing, a chunk, how many of its places to pass over, and
            how many to return.
        chunk: the number of ids in a row of a stored listing.
        shown: makes what is listed of the rows of `listed`.
    """

    database: Database
    conditions: tuple[Any, ...]
    listing_id: UUID
    store: str
    by: object
    listed: str
    chunk: int
    shown: Callable[[Connection, Sequence[Mapping[str, Any]]], Awaitable[Sequence[T]]]

    async def begin(self, now: datetime, limit: int) -> tuple[int, Sequence[T]]:
        """Store the order; return the number of what it lists, and the first.

        A listing of fewer than `limit` is not stored, and one beyond `STORED` replaces the oldest. The user's
        lock keeps a concurrent erasure from missing the new rows.
        """
        owner, values = self.conditions[:2], (self.listing_id, now, self.by, self.chunk)
        async with self.database.transaction(owner[0], planned_anew=True) as connection:
            await connection.execute(_SQL["lock"], *owner)
            total = await connection.fetchval(self.store, *self.conditions, *values)
            first = await self._read(connection, range(total), limit)
            if total >= limit:
                await connection.execute(_SQL["drop_surplus"], *owner, STORED)
            else:
                await connection.execute(_SQL["drop"], *owner, self.listing_id)
        return total, first

    async def go_on(self, now: datetime, after: int, limit: int) -> Sequence[T]:
        """Return the next of the stored listing that still match.

        Raises:
            UnknownListing: the user has no such listing, or it has expired.
        """
        owner, since = self.conditions[:2], now - LIFETIME
        async with self.database.transaction(owner[0], planned_anew=True) as connection:
            chunks = await connection.fetchval(_SQL["chunks"], *owner, self.listing_id, since)
            if not chunks:
                raise UnknownListing(f"there is no listing {self.listing_id}")
            return await self._read(connection, range(after, chunks * self.chunk), limit)

    async def _read(self, connection: Connection, places: range, limit: int) -> Sequence[T]:
        """Return the first of the stored listing behind the start of `places`, chunk by chunk."""
        found, after = list[Mapping[str, Any]](), places.start
        while len(found) < limit and after < places.stop:
            chunk, offset = divmod(after, self.chunk)
            values = (self.listing_id, chunk, offset, limit - len(found))
            rows = await connection.fetch(self.listed, *self.conditions, *values)
            found += [dict(row) | {"place": chunk * self.chunk + row["place"]} for row in rows]
            after = (chunk + 1) * self.chunk
        return await self.shown(connection, found)


class Listings(Store):
    """Lists the memories and the entities of a user, and the users of a tenant. Raises `StoreUnavailable`."""

    chunk = 1_000
    """The number of ids in a row of a stored listing."""

    async def names(self, tenant: str, user_id: str, fields: Sequence[str]) -> Sequence[tuple[str, str, str]]:
        """Return what a user's participants, topics, tags or locations are called.

        Args:
            fields: which of these.

        Returns:
            The field, the name, the language.
        """
        found = await self._fetch(_SQL["names"], tenant, user_id, fields)
        return [(row["field"], row["name"], row["language"]) for row in found]

    async def total(self, tenant: str, user_id: str, scope: ListingScope) -> int:
        """Count the memories."""
        return int(await self._fetchval(_SQL["total"], tenant, user_id, *astuple(scope), planned_anew=True))

    async def ids(self, tenant: str, user_id: str, scope: ListingScope, limit: int) -> Sequence[UUID]:
        """Return the ids of at most `limit` memories, the latest."""
        conditions = (*astuple(scope), limit)
        found = await self._fetch(_SQL["ids"], tenant, user_id, *conditions, planned_anew=True)
        return [row["id"] for row in found]

    async def by_time(
        self,
        tenant: str,
        user_id: str,
        scope: ListingScope,
        *,
        oldest_first: bool,
        after: MemoryPlace | None,
        limit: int,
    ) -> Sequence[MemoryPlace]:
        """Return the next memories by the time at which they were created, then by id."""
        memory_id, created_at = after or (None, None)
        order, place = "oldest" if oldest_first else "recent", (created_at, memory_id)
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            await connection.execute(_SQL["by_index"])
            found = await connection.fetch(_SQL[order], tenant, user_id, *astuple(scope), *place, limit)
        return [MemoryPlace(*row) for row in found]

    def by_weight(
        self, tenant: str, user_id: str, scope: ListingScope, listing: UUID, order: str
    ) -> StoredOrder[ListedMemory]:
        """Return the memories by `used`, `important` or `feeling`, as stored, or to be, as `listing`."""
        return StoredOrder(
            database=self._database,
            conditions=(tenant, user_id, *astuple(scope)),
            listing_id=listing,
            store=_SQL["store"],
            by=order,
            listed=_SQL["listed"],
            chunk=self.chunk,
            shown=_places,
        )

    def by_mentions(
        self, tenant: str, user_id: str, kind: str | None, listing: UUID
    ) -> StoredOrder[ListedEntity]:
        """Return the entities of a kind, or all, most mentioned first, then by name, stored as `listing`.

        Args:
            listing: random; from it follow the id in the database and, not from that, the salt of its hashes.
        """
        salt = listing.hex
        return StoredOrder(
            database=self._database,
            conditions=(tenant, user_id, *_KIND_COLUMNS, salt),
            listing_id=uuid5(NAMESPACE_OID, salt),
            store=_ENTITIES["store"],
            by=kind,
            listed=_ENTITIES["listed"],
            chunk=self.chunk,
            shown=partial(_with_facts, tenant, user_id),
        )

    async def periods(
        self,
        tenant: str,
        user_id: str,
        by: PeriodLength,
        *,
        start: datetime | None,
        end: datetime | None,
        timezone: str | None,
    ) -> PeriodsReply:
        """Return the periods with memories of `[start, end)`, in a zone; None for that of the user."""
        asked = (tenant, user_id, by.value, start, end, timezone)
        return PeriodsReply.model_validate_json(
            await self._fetchval(_SQL["periods"], *asked, planned_anew=True)
        )

    async def users(self, tenant: str, after: str | None, limit: int) -> Sequence[UserView]:
        """Return the next users with messages, by id."""
        found = await self._fetch(_SQL["users"], tenant, after, limit, planned_anew=True)
        return [UserView(**dict(row)) for row in found]


async def _places(_: Connection, rows: Sequence[Mapping[str, Any]]) -> Sequence[ListedMemory]:
    return [ListedMemory(**row) for row in rows]


async def _with_facts(
    tenant: str, user_id: str, connection: Connection, rows: Sequence[Mapping[str, Any]]
) -> Sequence[ListedEntity]:
    facts: defaultdict[str, list[Fact]] = defaultdict(list)
    keys = [row["key"] for row in rows]
    for row in await connection.fetch(_ENTITIES["facts"], tenant, user_id, keys, _FACTS):
        facts[row["entity_key"]].append(fact_of(row))
    return [build(ListedEntity, row, entity=entity_of(row), facts=facts[row["key"]]) for row in rows]
