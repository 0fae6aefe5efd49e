"""Pages of a user's memories, in orders that hold while memories arrive, change and go; and of users."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID, uuid4

from ricordo.store.database import Connection, Database, Store

_SQL: Final = Database.queries("memory_listings")
LIFETIME: Final = timedelta(hours=1)
"""How long a stored listing can be read."""
STORED: Final = 10
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSummary:
    """A user of a tenant, with counts as in `UserCounts`.

    Attributes:
        last_activity: when a message was stored or a memory used, whichever was later.
    """

    user_id: str
    memories: int
    archived: int
    messages: int
    last_activity: datetime


class MemoryPlace(NamedTuple):
    """Place of a memory in the order of time."""

    id: UUID
    created_at: datetime


class ListedMemory(NamedTuple):
    """Place of a memory in a stored listing, from 1."""

    id: UUID
    place: int


class MemoryListings(Store):
    """Lists the memories of a user, and the users of a tenant. Raises `StoreUnavailable`.

    Args:
        chunk: the number of ids in a row of a stored listing.
    """

    def __init__(self, database: Database, *, chunk: int = 1_000) -> None:
        super().__init__(database)
        self._chunk = chunk

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

    async def store(
        self, tenant: str, user_id: str, scope: ListingScope, now: datetime, *, by_use: bool, limit: int
    ) -> tuple[UUID, int, Sequence[ListedMemory]]:
        """Store the order of memories by use or importance; return its id, their number and the first.

        A listing of fewer than `limit` memories is not stored, and a user's eleventh replaces the oldest. The
        user's lock keeps a concurrent erasure from missing the new rows.
        """
        listing_id, conditions = uuid4(), (tenant, user_id, *astuple(scope))
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            await connection.execute(_SQL["lock"], tenant, user_id)
            total = await connection.fetchval(
                _SQL["store"], *conditions, listing_id, now, by_use, self._chunk
            )
            first = await self._read(connection, conditions, listing_id, range(total), limit)
            if total >= limit:
                await connection.execute(_SQL["drop_surplus"], tenant, user_id, STORED)
            else:
                await connection.execute(_SQL["drop"], tenant, user_id, listing_id)
        return listing_id, total, first

    async def stored(
        self,
        tenant: str,
        user_id: str,
        scope: ListingScope,
        listing_id: UUID,
        now: datetime,
        *,
        after: int,
        limit: int,
    ) -> Sequence[ListedMemory]:
        """Return the next memories of a stored listing that still match.

        Raises:
            UnknownListing: the user has no such listing, or it has expired.
        """
        conditions, since = (tenant, user_id, *astuple(scope)), now - LIFETIME
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            chunks = await connection.fetchval(_SQL["chunks"], tenant, user_id, listing_id, since)
            if not chunks:
                raise UnknownListing(f"there is no listing {listing_id}")
            return await self._read(
                connection, conditions, listing_id, range(after, chunks * self._chunk), limit
            )

    async def users(self, tenant: str, after: str | None, limit: int) -> Sequence[UserSummary]:
        """Return the next users with messages, by id."""
        found = await self._fetch(_SQL["users"], tenant, after, limit, planned_anew=True)
        return [UserSummary(**dict(row)) for row in found]

    async def _read(
        self,
        connection: Connection,
        conditions: tuple[object, ...],
        listing_id: UUID,
        places: range,
        limit: int,
    ) -> Sequence[ListedMemory]:
        """Return the first memories of a stored listing behind the start of `places`, chunk by chunk."""
        found: list[ListedMemory] = []
        after = places.start
        while len(found) < limit and after < places.stop:
            chunk, offset = divmod(after, self._chunk)
            values = (listing_id, chunk, offset, limit - len(found))
            rows = await connection.fetch(_SQL["listed"], *conditions, *values)
            found += [ListedMemory(row["id"], chunk * self._chunk + row["place"]) for row in rows]
            after = (chunk + 1) * self._chunk
        return found
