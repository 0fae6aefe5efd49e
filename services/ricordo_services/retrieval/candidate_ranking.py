"""From what was found to the best of it: what the truth says of each, its signals, and a profile's order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple
from uuid import UUID

from ricordo.language.temporal import EARLIEST, LATEST
from ricordo.memory.ranking import Ranked, rank
from ricordo.memory.ranking.fusion import (
    merge_rankings,
    order_by_event_time,
    order_corrections,
    remaining_span,
)
from ricordo.memory.ranking.human import HumanProfile, confidence, load_human
from ricordo.memory.ranking.signals import Interval, RankingProfile
from ricordo.store.memory_queries import MemoryQueries, RankingRow
from ricordo_services.retrieval.key_topics import KeyTopics
from ricordo_services.retrieval.ranking_signals import Query, linked, measured
from ricordo_services.retrieval.search import Found
from ricordo_services.retrieval.search_request import (
    SearchRequest,
    looks_at_uninformative,
    looks_into_archive,
)

_STANDS_FOR_OTHERS = "synthesis"
_SUMMARISING = frozenset({"summary", _STANDS_FOR_OTHERS})
"""Kinds that stand for others: they join in a context, and elsewhere where they are asked for."""


class Best(NamedTuple):
    """The best of what was found, and how sure it is that it answers the question, [0, 1]."""

    ranked: Sequence[Ranked] = ()
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class CandidateRanking:
    """Ranks what was found; what has no row is not shown."""

    recollection: MemoryQueries
    key_topics: KeyTopics

    async def __call__(
        self, tenant: str, request: SearchRequest, found: Found, profile: RankingProfile
    ) -> Best:
        """Return the best of what was found, as many as were asked for.

        Raises:
            StoreUnavailable: the rows cannot be read.
        """
        if not found.hits:
            return Best()
        standings = await self.recollection.ranking_rows(tenant, request.user_id, list(found.hits))
        shown = [one for one in standings if _is_shown(one, request)]
        query = Query(
            text=request.text,
            analysis=request.analysis,
            span=asked_span(request),
            now=request.now,
            boosts=await self.key_topics.boosts(shown, request.vectors.get(self.key_topics.encoder.model)),
            evidence=request.evidence,
        )
        parts = _by_model(shown, found) if profile.by_meaning else [shown]
        beside = {one.id for one in shown if one.kind == _STANDS_FOR_OTHERS} if request.beside else set()
        most = request.limit + len(beside)
        coming = _asked_ahead(request)
        ranked = len(shown) if coming else most
        candidates = [(part, measured(part, found, query)) for part in parts if part]
        if isinstance(profile, HumanProfile):
            candidates = [(part, linked(part, each, query, profile)) for part, each in candidates]
        rankings = [rank(each, profile, ranked) for _, each in candidates]
        best = rankings[0] if len(rankings) == 1 else merge_rankings(rankings, ranked)
        if coming:
            best = order_by_event_time(best, {one.id: one.event_times for one in shown}, coming)[:most]
        sure = max(
            (confidence(each.signals, found.unknown, load_human()) for _, each in candidates), default=0.0
        )
        # The first `limit`, and the syntheses that come before the last of them.
        counted = accumulate(one.id not in beside for one in best)
        first = [one for one, count in zip(best, counted, strict=True) if count <= request.limit]
        corrected = _corrected_by(shown, request, found)
        return Best(order_corrections(first, corrected, max(request.limit, len(first))), sure)


def _corrected_by(
    shown: Sequence[RankingRow], request: SearchRequest, found: Found
) -> Mapping[UUID, Sequence[UUID]]:
    """Return what corrects whom; what no filter of the question has let through stays out."""
    time = request.analysis.time
    bound = request.filters is not None or (time is not None and time.strict)
    corrected = {
        one.id: [each for each in one.corrected_by if not bound or each in found.hits]
        for one in shown
        if one.corrected_by
    }
    return {memory_id: others for memory_id, others in corrected.items() if others}


def _asked_ahead(request: SearchRequest) -> Interval | None:
    """Return the time of which the question asks for what is to come; None where it does not."""
    time, span = request.analysis.time, asked_span(request)
    if time is None or span is None or not time.ahead:
        return None
    return remaining_span(span, request.now)


def asked_span(request: SearchRequest) -> Interval | None:
    """Return the time that a question asks for, as a filter or as a preference; None for no time."""
    filters = request.filters
    if filters is not None and (filters.start is not None or filters.end is not None):
        return Interval(filters.start or EARLIEST, filters.end or LATEST)
    time = request.analysis.time
    return None if time is None else Interval(time.start, time.through)


def _by_model(shown: Sequence[RankingRow], found: Found) -> list[Sequence[RankingRow]]:
    """Return apart what was found by different models, whose cosines do not compare; the most first."""
    parts: dict[str, list[RankingRow]] = {model: [] for model in dict.fromkeys(found.models.values())}
    for one in shown:
        parts[found.models[one.id]].append(one)
    return sorted(filter(None, parts.values()), key=len, reverse=True) or [shown]


def _is_shown(one: RankingRow, request: SearchRequest) -> bool:
    if one.archived and not looks_into_archive(request.analysis, request.filters):
        return False
    if not one.informative and not looks_at_uninformative(request.analysis, request.filters):
        return False
    return request.summaries or one.kind not in _SUMMARISING
