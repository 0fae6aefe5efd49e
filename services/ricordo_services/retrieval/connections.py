"""What the best candidates lead to: memories that hold their names, that are near to them, and by facts.

"What does my sister's husband do?" is answered by two memories that share no word: the search finds the one
that names him, and his name the other.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.index.port import Hit, IndexUnavailable, Neighbour
from ricordo.memory.facts import USER, Fact, normalise
from ricordo.memory.ranking.linking_words import linking_words
from ricordo.messages.ids import memory_id
from ricordo.store.fact_queries import FactQueries
from ricordo.store.memory_queries import RankingRow
from ricordo_services.retrieval.related_memories import RelatedMemories
from ricordo_services.retrieval.search import Found, Search
from ricordo_services.retrieval.search_request import SearchRequest, narrows, scope_of

TELLING: Final = 10
"""Candidates whose facts are read."""
_NEAR: Final = 3  # of these, as many as are shown with what is related: each takes a third of a search
_WORDS: Final = 16  # that are looked up, names first
_FACTS: Final = 12
_MESSAGES_OF_A_FACT: Final = 3
_RELATED: Final = 0.5  # times the cosine: less than a shared name
_BY_FACT: Final = 0.5  # with a confidence of 0; 1 with the highest
_HIGHEST_CONFIDENCE: Final = 10


class Connected(NamedTuple):
    """What the best candidates lead to.

    Attributes:
        found: the candidates, and those that join them.
        ties: by each of the best, which memories are tied to it by a fact or by nearness, and how firmly.
        related: the memories near to each of the best, nearest first; empty where the index is unavailable.
        facts: that the first candidates tell, and that lead on from these.
    """

    found: Found
    ties: Mapping[UUID, Mapping[UUID, float]] = MappingProxyType({})
    related: Mapping[UUID, Sequence[UUID]] = MappingProxyType({})
    facts: Sequence[Fact] = ()


@dataclass(frozen=True, slots=True)
class Connections:
    """Finds what the best candidates lead to."""

    search: Search
    related: RelatedMemories
    facts: FactQueries

    async def __call__(
        self,
        tenant: str,
        request: SearchRequest,
        found: Found,
        telling: Sequence[RankingRow],
        leading: int,
    ) -> Connected:
        """Return what joins the candidates; nothing by words or nearness if the index is unavailable.

        Args:
            telling: the first candidates, of which the first `leading` lead to others.

        Raises:
            StoreUnavailable: the facts cannot be read.
        """
        best = telling[:leading]
        if not best:
            return Connected(found)
        nearest, holders, facts = await asyncio.gather(
            self._nearest(tenant, request.user_id, asked := [row.id for row in telling[:_NEAR]]),
            self._holders(tenant, request, found, best),
            self._facts(tenant, request, telling, leading),
        )
        hits, models = dict(holders.hits), dict(holders.models)
        ties: defaultdict[UUID, dict[UUID, float]] = defaultdict(dict)
        if not narrows(scope_of(request)):  # which of them a filter leaves out is not known
            for row in best:
                dense = found.hits[row.id].dense
                for other, cosine in nearest.get(row.id, ()):
                    ties[row.id][other] = _RELATED * cosine
                    near = Hit(other, dense * cosine)  # to be expected of two such angles
                    hits.setdefault(other, near)
                    models.setdefault(other, found.models[row.id])
            for row, other, firmness in _led_to(tenant, best, facts):
                ties[row.id][other] = max(firmness, ties[row.id].get(other, 0.0))
                hits.setdefault(other, Hit(other))
                models.setdefault(other, found.models[row.id])
        joined = Found(hits, dict.fromkeys(hits, 0.0), models=models)
        related = {one: [near.id for near in nearest.get(one, ())] for one in asked if nearest}
        return Connected(found.merged_with(joined), ties, related, facts)

    async def _nearest(
        self, tenant: str, user_id: str, ids: Sequence[UUID]
    ) -> Mapping[UUID, Sequence[Neighbour]]:
        try:
            return await self.related.nearest(tenant, user_id, ids)
        except IndexUnavailable:  # who shows related memories asks again, and reports it
            return {}

    async def _holders(
        self, tenant: str, request: SearchRequest, found: Found, best: Sequence[RankingRow]
    ) -> Found:
        speakers = frozenset(row.speaker for row in best)
        words: dict[str, float] = {}
        for row in best:
            words = {**words, **linking_words(row.text, row.participants, request.text, speakers)}
        firmest = sorted(words, key=words.__getitem__, reverse=True)[:_WORDS]
        try:
            return await self.search.holders(tenant, request, found, " ".join(firmest))
        except IndexUnavailable:
            return Found({}, {})

    async def _facts(
        self, tenant: str, request: SearchRequest, telling: Sequence[RankingRow], leading: int
    ) -> Sequence[Fact]:
        messages = [row.message_id for row in telling if row.message_id is not None]
        first = sum(row.message_id is not None for row in telling[:leading])
        return await self.facts.connected(tenant, request.user_id, messages, first, _FACTS)


def _led_to(
    tenant: str, best: Sequence[RankingRow], facts: Sequence[Fact]
) -> Iterable[tuple[RankingRow, UUID, float]]:
    """Yield which memories are evidence of a fact that one of the best leads to, and how firmly.

    What many facts share leads nowhere in particular.
    """
    ends = {
        row.id: frozenset(end for fact in facts if row.message_id in fact.message_ids for end in _ends(fact))
        for row in best
    }
    holders = Counter(end for fact in facts for end in _ends(fact))
    for fact in facts:
        row = next((row for row in best if not ends[row.id].isdisjoint(_ends(fact))), None)
        if row is None:  # told by a candidate that is not among the best
            continue
        rarity = 1.0 / sqrt(max(1, min(holders[end] for end in ends[row.id] & _ends(fact)) - 1))
        firmness = _BY_FACT + (1.0 - _BY_FACT) * fact.confidence / _HIGHEST_CONFIDENCE
        for message in fact.message_ids[-_MESSAGES_OF_A_FACT:]:
            if message != row.message_id:
                yield row, memory_id(tenant, message), rarity * firmness


def _ends(fact: Fact) -> frozenset[str]:
    """Return what a fact connects, but the user."""
    return frozenset({normalise(fact.subject), normalise(fact.object)}) - {USER}
