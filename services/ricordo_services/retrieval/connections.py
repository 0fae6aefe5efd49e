"""What the best candidates lead to: memories that hold their names, that are near to them, and by facts.

"What does my sister's husband do?" is answered by two memories that share no word: the search finds the one
that names him, and his name the other.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.ranking.context_signals import BEST
from ricordo.memory.ranking.linking_words import linking_words
from ricordo.runtime.tasks import unwrap_exception_group
from ricordo.store.recall_queries import RankingRow, RecallQueries
from ricordo_services.retrieval.recall_plan import RecallPlan, latest_evidence, narrows
from ricordo_services.retrieval.related_memories import RelatedMemories
from ricordo_services.retrieval.search import MemoryCandidate, Search, SearchResult

TELLING: Final = 10
"""Candidates whose facts are read."""
LEADING: Final = BEST
"""Candidates that may lead to others, and that are shown with what is related to them."""
_WORDS: Final = 16  # that are looked up, names first
_FACTS: Final = 12
_RELATED: Final = 0.5  # times the cosine: less than a shared name
_BY_FACT: Final = 0.5  # with a confidence of 0; 1 with the highest
_HIGHEST_CONFIDENCE: Final = 10


class ConnectedMemories(NamedTuple):
    """What the best candidates lead to.

    Attributes:
        joined: the memories that join the candidates.
        ties: by each of the best, which memories are tied to it by a fact or by nearness, and how firmly.
        related: the memories near to each of the best, nearest first.
        facts: that the first candidates tell, and that lead on from these.
    """

    joined: Mapping[UUID, MemoryCandidate] = MappingProxyType({})
    ties: Mapping[UUID, Mapping[UUID, float]] = MappingProxyType({})
    related: Mapping[UUID, Sequence[UUID]] = MappingProxyType({})
    facts: Sequence[Fact] = ()


@dataclass(frozen=True, slots=True)
class Connections:
    """Finds what the best candidates lead to."""

    search: Search
    related: RelatedMemories
    queries: RecallQueries

    async def __call__(
        self, tenant: str, plan: RecallPlan, result: SearchResult, telling: Sequence[RankingRow], leading: int
    ) -> ConnectedMemories:
        """Return what joins the candidates; of archived memories nothing that is near.

        Args:
            telling: the first candidates, of which the first `leading` lead to others.

        Raises:
            IndexUnavailable: the index does not answer.
            StoreUnavailable: the facts cannot be read.
        """
        best, asked = telling[:leading], [row.id for row in telling[:LEADING]]
        messages = [row.message_id for row in telling if row.message_id is not None]
        first = sum(row.message_id is not None for row in best)
        with unwrap_exception_group():
            async with asyncio.TaskGroup() as group:
                near = group.create_task(self.related.nearest(tenant, plan.request.user_id, asked))
                told = group.create_task(
                    self.queries.connected_facts(tenant, plan.request.user_id, messages, first, _FACTS)
                )
                holding = await self.search.holders(tenant, plan, result, _leading_words(plan, best))
        nearest, facts, joining = near.result(), told.result(), list(holding)
        ties: dict[UUID, dict[UUID, float]] = {row.id: {} for row in best}
        if not narrows(plan.scope):  # which of them a filter leaves out is not known
            for row in best:
                ties[row.id] = {other: _RELATED * cosine for other, cosine in nearest.get(row.id, ())}
            for row, other, firmness in _led_to(tenant, best, facts):
                ties[row.id][other] = max(firmness, ties[row.id].get(other, 0.0))
            joining += [other for tied in ties.values() for other in tied if other not in result.candidates]
        joined = await self.search.compare(tenant, plan, list(dict.fromkeys(joining)))
        related = {one: [each.id for each in nearest.get(one, ())] for one in asked}
        return ConnectedMemories(joined, ties, related, facts)


def _leading_words(plan: RecallPlan, best: Sequence[RankingRow]) -> str:
    """Return the words of the best that may lead to other memories, names first."""
    speakers = frozenset(row.speaker for row in best)
    words: dict[str, float] = {}
    for row in best:
        words |= linking_words(row.text, row.participants, plan.question.text, speakers)
    return " ".join(sorted(words, key=words.__getitem__, reverse=True)[:_WORDS])


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
        for other in latest_evidence(tenant, [fact]):
            if other != row.id:
                yield row, other, rarity * firmness


def _ends(fact: Fact) -> frozenset[str]:
    """Return what a fact connects, but the user."""
    return frozenset({normalise(fact.subject), normalise(fact.object)}) - {USER}
