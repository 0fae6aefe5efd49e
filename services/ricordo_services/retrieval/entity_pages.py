"""Answers `query.entities`: pages that miss no entity and show none twice."""

import secrets
import struct
from dataclasses import dataclass, replace
from typing import Final

from ricordo.clock import Clock
from ricordo.messages.entities import EntitiesReply, EntitiesRequest, EntityCard
from ricordo.messages.enumerations import EntityKind
from ricordo.store.entity_listings import EntityListings, ListedEntity
from ricordo.store.memory_listings import UnknownListing
from ricordo_services.retrieval.cursors import invalid_cursor, seal, unseal
from ricordo_services.retrieval.reply_views import fact_view

_POSITION: Final = struct.Struct(">II16s")
"""Of a cursor: the total, a place, the token of a listing."""
_ALIASES: Final = 20  # maximum number in a card
_MESSAGES: Final = 5  # of a fact


@dataclass(frozen=True, slots=True)
class EntityPages:
    """Answers `query.entities`.

    The number of mentions changes, so the first page stores the order, and a cursor holds a place in it.
    """

    listings: EntityListings
    clock: Clock

    async def __call__(self, tenant: str, request: EntitiesRequest, /) -> EntitiesReply:
        """Return a page of entities.

        Raises:
            RequestError: the cursor is damaged, expired, or of another user or kind.
        """
        kind, now, limit = request.kind, self.clock.now(), request.limit
        bound = (tenant, request.user_id, request.name, kind or "")
        if request.cursor is None:
            token = secrets.token_bytes(16)
            total, found = await self.listings.store(
                tenant, request.user_id, kind=kind, token=token, now=now, limit=limit + 1
            )
        else:
            raw = unseal(request.cursor, *bound)
            if len(raw) != _POSITION.size:
                raise invalid_cursor()
            total, after, token = _POSITION.unpack(raw)
            try:
                found = await self.listings.stored(
                    tenant, request.user_id, token, now, after=after, limit=limit + 1
                )
            except UnknownListing:
                raise invalid_cursor() from None
        shown = found[:limit]
        more = len(found) > limit  # the surplus one shows that there are more
        return EntitiesReply(
            entities=tuple(map(_card, shown)),
            next=seal(_POSITION.pack(total, shown[-1].place, token), *bound) if more else None,
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
