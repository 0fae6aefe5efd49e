"""Answers queries for pages of memories, users and entities: they miss nothing and show nothing twice.

A cursor is opaque, URL-safe, and valid for one request of one user only.
"""

import hashlib
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, Self, TypeVar
from uuid import UUID, uuid4

from ricordo.clock import Clock
from ricordo.messages.entities import EntitiesReply, EntitiesRequest, EntityCard
from ricordo.messages.enumerations import EntityKind, ListingOrder
from ricordo.messages.errors import ErrorCode
from ricordo.messages.filters import Filters
from ricordo.messages.listings import (
    MemoriesReply,
    MemoriesRequest,
    PeriodsReply,
    PeriodsRequest,
    UsersReply,
    UsersRequest,
)
from ricordo.runtime.handling import RequestError
from ricordo.store.listing_store import (
    ListedEntity,
    ListedMemory,
    Listings,
    ListingScope,
    MemoryPlace,
    StoredOrder,
    UnknownListing,
)
from ricordo.store.memory_queries import MemoryQueries
from ricordo_services.retrieval.listing_scopes import ListingScopes, word_patterns
from ricordo_services.retrieval.reply_views import fact_view, memory_view

L = TypeVar("L", ListedMemory, ListedEntity)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_BY_TIME: Final = frozenset({ListingOrder.RECENT, ListingOrder.OLDEST})
_ALIASES: Final = 20  # maximum number in a card
_MESSAGES: Final = 5  # of a fact
_POSITION: Final = struct.Struct(">Iq16s")
_DIGEST: Final = 16  # bytes
_ADVICE: Final = (
    "must be the `next` of an earlier reply to the same request, at most an hour old; begin without"
)


def _invalid_cursor() -> RequestError:
    """Return the error of a cursor that is damaged, expired, or of another request."""
    return RequestError(ErrorCode.INVALID_REQUEST, f"cursor {_ADVICE}", "cursor")


def _seal(position: bytes, *bound: str) -> str:
    """Return a cursor for a position, which `_unseal` reads with the same `bound` only.

    The digest finds mistakes and damage. It is no secret: a forged position reaches nothing but rows that its
    user may read anyway.
    """
    return urlsafe_b64encode(_digest(position, bound) + position).decode().rstrip("=")


def _unseal(cursor: str, *bound: str) -> bytes:
    """Return the position of a cursor.

    Raises:
        RequestError: the cursor is damaged, or of another request.
    """
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (Base64Error, ValueError):
        raise _invalid_cursor() from None
    position = raw[_DIGEST:]
    # Some texts differ in bits that no byte holds: a cursor has one spelling.
    if raw[:_DIGEST] != _digest(position, bound) or _seal(position, *bound) != cursor:
        raise _invalid_cursor()
    return position


def _digest(position: bytes, bound: tuple[str, ...]) -> bytes:
    data = b"\0".join((position, *map(str.encode, bound)))
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


@dataclass(frozen=True, slots=True)
class _Position:
    """Where a page begins: behind a memory in the order of time, or behind a place of a stored listing.

    Attributes:
        number: microseconds since 1970, or a place.
        id: of the memory, or of the listing.
    """

    total: int
    number: int
    id: UUID

    @classmethod
    def read(cls, cursor: str | None, bound: Sequence[str]) -> Self | None:
        """Return the position of a cursor; None for the first page.

        Raises:
            RequestError: the cursor is damaged, or of another request.
        """
        if cursor is None:
            return None
        raw = _unseal(cursor, *bound)
        if len(raw) != _POSITION.size:
            raise _invalid_cursor()
        total, number, raw_id = _POSITION.unpack(raw)
        return cls(total, number, UUID(bytes=raw_id))

    def sealed(self, bound: Sequence[str]) -> str:
        """Return the cursor of the position."""
        return _seal(_POSITION.pack(self.total, self.number, self.id.bytes), *bound)


async def _page(
    stored: Callable[[UUID], StoredOrder[L]], position: _Position | None, now: datetime, limit: int
) -> tuple[Sequence[L], _Position | None, int]:
    """Return a page in an order that the first one stores, the position behind it if any, and the total.

    Raises:
        RequestError: the order is stored no more.
    """
    listing = uuid4() if position is None else position.id
    if position is None:
        total, found = await stored(listing).begin(now, limit + 1)
    else:
        total = position.total
        try:
            found = await stored(listing).go_on(now, position.number, limit + 1)
        except UnknownListing:
            raise _invalid_cursor() from None
    shown = found[:limit]
    behind = _Position(total, shown[-1].place, listing) if len(found) > limit else None
    return shown, behind, total


@dataclass(frozen=True, slots=True)
class MemoryPages:
    """Answers `query.memories`.

    The orders by time follow from columns that never change, so a cursor holds the last memory of its page.
    Use, importance and feeling change, so the first page stores the order, and a cursor holds a place in it.
    """

    memories: MemoryQueries
    listings: Listings
    scopes: ListingScopes
    clock: Clock

    async def __call__(self, tenant: str, request: MemoriesRequest, /) -> MemoriesReply:
        """Return a page of memories.

        Raises:
            RequestError: the cursor is damaged, expired, or of another user or request.
        """
        filters = (request.filters or Filters()).model_dump_json()
        bound = [tenant, request.user_id, request.order.value, filters, request.text or ""]
        bound += [] if request.pinned is None else [f"pinned={request.pinned}"]
        position = _Position.read(request.cursor, bound)
        scope = await self.scopes(tenant, request.user_id, request.filters or Filters())
        if request.text is not None:
            scope = replace(scope, patterns=word_patterns(request.text))
        scope = replace(scope, pinned=request.pinned)
        page = self._by_time if request.order in _BY_TIME else self._stored
        ids, after, total = await page(tenant, request, scope, position)
        found = {one.id: one for one in await self.memories.memories(tenant, request.user_id, ids)}
        return MemoriesReply(
            memories=tuple(memory_view(found[one]) for one in ids if one in found),
            next=None if after is None else after.sealed(bound),
            total=total,
        )

    async def _by_time(
        self, tenant: str, request: MemoriesRequest, scope: ListingScope, position: _Position | None
    ) -> tuple[Sequence[UUID], _Position | None, int]:
        """Return the ids of a page, the position behind it if there is more, and the total."""
        user_id, after = request.user_id, None
        if position is None:
            total = await self.listings.total(tenant, user_id, scope)
        else:
            total, after = position.total, MemoryPlace(position.id, _EPOCH + position.number * _MICROSECOND)
        found = await self.listings.by_time(
            tenant,
            user_id,
            scope,
            oldest_first=request.order is ListingOrder.OLDEST,
            after=after,
            limit=request.limit + 1,  # the surplus one shows that there are more
        )
        shown = found[: request.limit]
        behind = None
        if len(found) > len(shown):
            last = shown[-1]
            behind = _Position(total, (last.created_at - _EPOCH) // _MICROSECOND, last.id)
        return [one.id for one in shown], behind, total

    async def _stored(
        self, tenant: str, request: MemoriesRequest, scope: ListingScope, position: _Position | None
    ) -> tuple[Sequence[UUID], _Position | None, int]:
        """As `_by_time`, in an order that the first page stores."""
        stored = partial(self.listings.by_weight, tenant, request.user_id, scope, order=request.order.value)
        shown, behind, total = await _page(stored, position, self.clock.now(), request.limit)
        return [one.id for one in shown], behind, total


@dataclass(frozen=True, slots=True)
class MemoryPeriods:
    """Answers `query.periods`."""

    listings: Listings

    async def __call__(self, tenant: str, request: PeriodsRequest, /) -> PeriodsReply:
        """Return the periods with memories, oldest first."""
        return await self.listings.periods(
            tenant,
            request.user_id,
            request.by,
            start=request.start,
            end=request.end,
            timezone=request.timezone,
        )


@dataclass(frozen=True, slots=True)
class UserPages:
    """Answers `query.users`."""

    listings: Listings

    async def __call__(self, tenant: str, request: UsersRequest, /) -> UsersReply:
        """Return a page of the users of a tenant, by id.

        Raises:
            RequestError: the cursor is damaged, or of another tenant.
        """
        bound = (tenant, request.name)
        after = None if request.cursor is None else _unseal(request.cursor, *bound).decode("ascii")
        found = await self.listings.users(tenant, after, request.limit + 1)
        shown = found[: request.limit]
        return UsersReply(
            users=tuple(shown),
            next=_seal(shown[-1].user_id.encode("ascii"), *bound) if len(found) > len(shown) else None,
        )


@dataclass(frozen=True, slots=True)
class EntityPages:
    """Answers `query.entities`.

    The number of mentions changes, so the first page stores the order, and a cursor holds a place in it.
    """

    listings: Listings
    clock: Clock

    async def __call__(self, tenant: str, request: EntitiesRequest, /) -> EntitiesReply:
        """Return a page of entities.

        Raises:
            RequestError: the cursor is damaged, expired, or of another user or kind.
        """
        bound = (tenant, request.user_id, request.name, request.kind or "")
        position = _Position.read(request.cursor, bound)
        stored = partial(self.listings.by_mentions, tenant, request.user_id, request.kind)
        shown, behind, total = await _page(stored, position, self.clock.now(), request.limit)
        return EntitiesReply(
            entities=tuple(map(_card, shown)),
            next=None if behind is None else behind.sealed(bound),
            total=total,
        )


def _card(listed: ListedEntity) -> EntityCard:
    entity = listed.entity
    latest = [replace(fact, message_ids=fact.message_ids[-_MESSAGES:]) for fact in listed.facts]
    return EntityCard(
        name=entity.name,
        aliases=entity.aliases[:_ALIASES],
        kind=None if listed.kind is None else EntityKind(listed.kind),
        ties=tuple(listed.ties),
        mentions=entity.mentions,
        first_seen=listed.first_seen,
        last_seen=listed.last_seen,
        facts=tuple(map(fact_view, latest)),
    )
