"""Answers `query.memories` and `query.users`: pages that miss nothing and show nothing twice."""

import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.messages.enumerations import ListingOrder
from ricordo.messages.filters import Filters
from ricordo.messages.listings import MemoriesReply, MemoriesRequest, UsersReply, UsersRequest, UserView
from ricordo.store.memory_listings import (
    ListedMemory,
    ListingScope,
    MemoryListings,
    MemoryPlace,
    UnknownListing,
)
from ricordo.store.memory_queries import MemoryQueries
from ricordo_services.retrieval.cursors import invalid_cursor, seal, unseal
from ricordo_services.retrieval.listing_scopes import ListingScopes
from ricordo_services.retrieval.reply_views import memory_view
from ricordo_services.retrieval.word_patterns import word_patterns

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_POSITION: Final = struct.Struct(">Iq16s")
"""Of a cursor: the total, microseconds or a place, the id of a memory or of a listing."""
_BY_TIME: Final = frozenset({ListingOrder.RECENT, ListingOrder.OLDEST})


@dataclass(frozen=True, slots=True)
class _Position:
    """Where a page begins: behind a memory in the order of time, or behind a place of a stored listing."""

    total: int
    number: int
    id: UUID


@dataclass(frozen=True, slots=True)
class MemoryPages:
    """Answers `query.memories`.

    The orders by time follow from columns that never change, so a cursor holds the last memory of its page.
    Use and importance change, so the first page stores the order, and a cursor holds a place in it.
    """

    memories: MemoryQueries
    listings: MemoryListings
    scopes: ListingScopes
    clock: Clock

    async def __call__(self, tenant: str, request: MemoriesRequest, /) -> MemoriesReply:
        """Return a page of memories.

        Raises:
            RequestError: the cursor is damaged, expired, or of another user or request.
        """
        filters = (request.filters or Filters()).model_dump_json()
        bound = (tenant, request.user_id, request.order.value, filters, request.text or "")
        position = None
        if request.cursor is not None:
            raw = unseal(request.cursor, *bound)
            if len(raw) != _POSITION.size:
                raise invalid_cursor()
            total, number, raw_id = _POSITION.unpack(raw)
            position = _Position(total, number, UUID(bytes=raw_id))
        scope = await self.scopes(tenant, request.user_id, request.filters or Filters())
        if request.text is not None:
            scope = replace(scope, patterns=word_patterns(request.text))
        page = self._by_time if request.order in _BY_TIME else self._stored
        ids, after, total = await page(tenant, request, scope, position)
        found = {one.id: one for one in await self.memories.memories(tenant, request.user_id, ids)}
        return MemoriesReply(
            memories=tuple(memory_view(found[one]) for one in ids if one in found),
            next=None if after is None else seal(_POSITION.pack(total, after.number, after.id.bytes), *bound),
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
        user_id, now, limit = request.user_id, self.clock.now(), request.limit
        found: Sequence[ListedMemory]
        if position is None:
            by_use = request.order is ListingOrder.USED
            listing_id, total, found = await self.listings.store(
                tenant, user_id, scope, now, by_use=by_use, limit=limit + 1
            )
        else:
            listing_id, total = position.id, position.total
            try:
                found = await self.listings.stored(
                    tenant, user_id, scope, listing_id, now, after=position.number, limit=limit + 1
                )
            except UnknownListing:
                raise invalid_cursor() from None
        shown = found[:limit]
        behind = _Position(total, shown[-1].place, listing_id) if len(found) > limit else None
        return [one.id for one in shown], behind, total


@dataclass(frozen=True, slots=True)
class UserPages:
    """Answers `query.users`."""

    listings: MemoryListings

    async def __call__(self, tenant: str, request: UsersRequest, /) -> UsersReply:
        """Return a page of the users of a tenant, by id.

        Raises:
            RequestError: the cursor is damaged, or of another tenant.
        """
        bound = (tenant, request.name)
        after = None if request.cursor is None else unseal(request.cursor, *bound).decode("ascii")
        found = await self.listings.users(tenant, after, request.limit + 1)
        shown = found[: request.limit]
        more = len(found) > len(shown)
        return UsersReply(
            users=tuple(UserView.model_validate(asdict(one)) for one in shown),
            next=seal(shown[-1].user_id.encode("ascii"), *bound) if more else None,
        )
