"""Turns filters of a request into conditions on the rows of memories."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from ricordo.language.topics import topic_keys
from ricordo.messages.filters import Filters
from ricordo.store.memory_listings import ListingScope, MemoryListings
from ricordo_services.retrieval.search_request import keys_of_topics, valence_bounds

_NAMED: Final = ("participants", "topics", "tags", "locations")
_OF_ROWS: Final = frozenset({"tags", "locations", "refs", "time_of_day", "day_of_week"})
"""Filters that the vector index has no fields for."""
_MOST_IDS: Final = 20_000


@dataclass(frozen=True, slots=True)
class ListingScopes:
    """Turns filters into conditions on rows."""

    listings: MemoryListings

    async def __call__(self, tenant: str, user_id: str, filters: Filters) -> ListingScope:
        """Return the conditions of filters, with names as the user's memories write them."""
        above, below = valence_bounds(filters.emotion)
        return ListingScope(
            start=filters.start,
            end=filters.end,
            types=[one.value for one in filters.types],
            kinds=[one.value for one in filters.kinds],
            above_valence=above,
            below_valence=below,
            min_importance=filters.min_importance,
            include_archived=filters.include_archived,
            include_uninformative=filters.include_uninformative,
            refs=[str(one) for one in filters.refs],
            conversation_id=filters.conversation_id,
            times_of_day=[one.value for one in filters.time_of_day],
            days_of_week=[one.value for one in filters.day_of_week],
            **await self._names(tenant, user_id, filters),
        )

    async def ids(self, tenant: str, user_id: str, filters: Filters | None) -> Sequence[UUID] | None:
        """Return the ids of the memories that match what the index cannot filter by; None if nothing is such.

        The latest 20,000 of more.
        """
        given = {} if filters is None else {name: getattr(filters, name) for name in _OF_ROWS}
        if not any(given.values()):
            return None
        everywhere = Filters(**given, include_archived=True, include_uninformative=True)
        scope = await self(tenant, user_id, everywhere)
        return await self.listings.ids(tenant, user_id, scope, _MOST_IDS)

    async def _names(self, tenant: str, user_id: str, filters: Filters) -> dict[str, list[str]]:
        """Return how the user's memories write each filtered name, by field."""
        fields = [name for name in _NAMED if getattr(filters, name)]
        if not fields:
            return {}
        found = await self.listings.names(tenant, user_id, fields)
        return await asyncio.to_thread(_matching, found, filters, fields)


def _matching(
    found: Collection[tuple[str, str, str]], filters: Filters, fields: Sequence[str]
) -> dict[str, list[str]]:
    """Return the names that filters match, by field: case-insensitively, and topics by their other forms."""
    wanted = {name: {one.casefold() for one in getattr(filters, name)} for name in fields}
    topics = {key.casefold() for key in keys_of_topics(filters.topics)}

    def matches(field: str, name: str, language: str) -> bool:
        if field == "topics":
            return any(key.casefold() in topics for key in topic_keys(name, language))
        return name.casefold() in wanted[field]

    matching = [(field, name) for field, name, language in found if matches(field, name, language)]
    return {each: [name for field, name in matching if field == each] for each in fields}
