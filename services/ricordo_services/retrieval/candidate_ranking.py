"""Ranks candidates: reads their rows from PostgreSQL, computes signals, and applies a ranking profile."""

import json
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np
import structlog

from ricordo.index.port import IndexUnavailable
from ricordo.language.temporal.moments import EARLIEST, LATEST
from ricordo.memory.ranking import Candidates, Ranked, load_profiles, rank
from ricordo.memory.ranking.confidence import confidence
from ricordo.memory.ranking.context_signals import FARTHEST
from ricordo.memory.ranking.fusion import (
    merge_rankings,
    order_by_event_time,
    order_corrections,
    remaining_span,
)
from ricordo.memory.ranking.human import HumanProfile, load_human
from ricordo.memory.ranking.repetitions import CandidateText, Repetitions
from ricordo.memory.ranking.signals import Interval, RankingProfile, key_topic_boost
from ricordo.messages.enumerations import Degradation
from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.store.memory_queries import MemoryQueries, RankingRow
from ricordo.store.rows import Vector
from ricordo_services.retrieval.connections import LEADING, TELLING, Connected, Connections
from ricordo_services.retrieval.ranking_signals import Columns, Query, add_connections, build_candidates
from ricordo_services.retrieval.search import Found
from ricordo_services.retrieval.search_request import (
    SearchRequest,
    looks_at_uninformative,
    looks_into_archive,
)

_log = structlog.stdlib.get_logger(__name__)

_SYNTHESIS = "synthesis"
_SUMMARISING = frozenset({"summary", _SYNTHESIS})
"""Kinds that condense other memories: returned in a context, elsewhere only if requested."""
_MOST_TOPICS: Final = 32


class Best(NamedTuple):
    """The best candidates, and the confidence that they answer the question, [0, 1].

    Attributes:
        connected: what those lead to that came first before connections counted.
        repetitions: of each, the others that say the same, newest first.
    """

    connected: Connected
    ranked: Sequence[Ranked] = ()
    confidence: float = 0.0
    repetitions: Mapping[UUID, Sequence[RankingRow]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KeyTopics:
    """Boosts summaries by the similarity of their key topics to a question."""

    encoder: Encoder

    async def boosts(self, rows: Sequence[RankingRow], vector: Vector | None) -> Mapping[UUID, float]:
        """Return the boost of each summary with key topics; none if the model is unavailable.

        Args:
            vector: of the question, float32 [d], unit norm.
        """
        marked = {
            row.id: [(topic["topic"], topic["importance"]) for topic in json.loads(row.key_topics)]
            for row in rows
            if row.key_topics
        }
        names = list(dict.fromkeys(name for topics in marked.values() for name, _ in topics))[:_MOST_TOPICS]
        if vector is None or not names:
            return {}
        try:
            vectors = await self.encoder.encode(names)
        except ModelUnavailable:
            return {}
        near = dict(zip(names, (vectors @ vector).tolist(), strict=True))
        return {
            one: key_topic_boost((importance, near.get(name, 0.0)) for name, importance in topics)
            for one, topics in marked.items()
        }


@dataclass(frozen=True, slots=True)
class CandidateRanking:
    """Ranks candidates, whose decay factors may have floors; those without a row are dropped."""

    memories: MemoryQueries
    key_topics: KeyTopics
    connections: Connections
    floors: bool = True

    async def __call__(
        self, tenant: str, request: SearchRequest, found: Found, profile: RankingProfile
    ) -> Best:
        """Return the best candidates, at most `request.limit` and their syntheses; what says the same once.

        Raises:
            StoreUnavailable: the rows cannot be read.
        """
        if not found.hits:
            return Best(Connected(found))
        shown = await self._shown(tenant, request, list(found.hits))
        query = Query(
            text=request.text,
            analysis=request.analysis,
            span=requested_span(request),
            now=request.now,
            boosts=await self.key_topics.boosts(shown, request.vectors.get(self.key_topics.encoder.model)),
            evidence=request.evidence,
        )
        groups, connected = _groups(shown, found, profile, query), Connected(found)
        if isinstance(profile, HumanProfile):
            telling, leading = _leading(groups)
            # What names somebody is found by that name; to look further costs a fifth of a recall.
            if not found.unfocused and not request.analysis.entities:
                try:
                    connected = await self.connections(tenant, request, found, telling, leading)
                except IndexUnavailable:
                    connected = Connected(found, missing=frozenset({Degradation.VECTORS}))
                if joining := [one for one in connected.found.hits if one not in found.hits]:
                    shown = [*shown, *await self._shown(tenant, request, joining)]
                    groups = _groups(shown, connected.found, profile, query)
            ties = connected.ties or {row.id: {} for row in telling[:leading]}
            groups = [group.connected(query, ties) for group in groups]
        return _best(request, connected, shown, groups)

    async def _shown(self, tenant: str, request: SearchRequest, ids: Sequence[UUID]) -> list[RankingRow]:
        """Return the rows of candidates that may be shown."""
        rows = await self.memories.ranking_rows(tenant, request.user_id, ids, request.now, floors=self.floors)
        return [one for one in rows if _is_shown(one, request)]


class _Group(NamedTuple):
    """The candidates that one embedding model has found, and the profile that ranks them."""

    columns: Columns
    candidates: Candidates
    profile: RankingProfile

    def connected(self, query: Query, ties: Mapping[UUID, Mapping[UUID, float]]) -> "_Group":
        """Return the same with the signal of connections, which only a learned profile has."""
        if not isinstance(self.profile, HumanProfile):
            return self
        found = add_connections(self.columns, self.candidates, query, self.profile, ties)
        return self._replace(candidates=found)


def _groups(shown: Sequence[RankingRow], found: Found, profile: RankingProfile, query: Query) -> list[_Group]:
    """Return the candidates with their signals, those of each model apart where meanings are compared."""
    parts: defaultdict[str, list[RankingRow]] = defaultdict(list)
    for row in shown:
        parts[found.models[row.id] if profile.by_meaning else ""].append(row)
    groups = []
    for part in sorted(parts.values(), key=len, reverse=True):
        columns = Columns(part)
        groups.append(_Group(columns, build_candidates(columns, found, query), profile))
    return groups


def _leading(groups: Sequence[_Group]) -> tuple[list[RankingRow], int]:
    """Return the candidates that come first before connections count, best first, nothing said twice.

    Returns:
        The candidates, and how many of them are so near to the best that they lead to others.
    """
    scored: list[tuple[float, RankingRow]] = []
    for group in groups:
        if isinstance(group.profile, HumanProfile):
            logits = np.nan_to_num(group.profile.overall_logits(group.candidates.signals))
            rows = group.columns.rows
            scored += zip(np.broadcast_to(logits, len(rows)).tolist(), rows, strict=True)
    first: dict[Hashable, tuple[float, RankingRow]] = {}
    for logit, row in sorted(scored, key=itemgetter(0), reverse=True):
        first.setdefault(_text(row)[1:], (logit, row))
        if len(first) == TELLING:
            break
    telling = list(first.values())
    leading = sum(logit >= telling[0][0] - FARTHEST for logit, _ in telling[:LEADING])
    return [row for _, row in telling], leading


def _best(
    request: SearchRequest, connected: Connected, shown: Sequence[RankingRow], groups: Sequence[_Group]
) -> Best:
    """Return the best of all groups, in the order that is asked for, with what repeats and corrects them."""
    syntheses = {one.id for one in shown if one.kind == _SYNTHESIS} if request.extra_syntheses else set()
    repetitions = Repetitions(map(_text, shown))
    most = request.limit + len(syntheses) + repetitions.count
    coming = _coming_time(request)
    placed = len(shown) if coming else most
    rankings = [rank(group.candidates, group.profile, placed) for group in groups]
    best = rankings[0] if len(rankings) == 1 else merge_rankings(rankings, placed)
    if coming:
        best = order_by_event_time(best, {one.id: one.event_times for one in shown}, coming)[:most]
    merged, by_id = repetitions.merge(best), {row.id: row for row in shown}
    best = [candidate for candidate in best if candidate.id in merged]
    # The first `limit`, and the syntheses that come before the last of them.
    counted = accumulate(one.id not in syntheses for one in best)
    first = [one for one, count in zip(best, counted, strict=True) if count <= request.limit]
    corrected = _corrected_by(shown, request, connected.found, set(chain.from_iterable(merged.values())))
    others = {
        candidate.id: sorted(map(by_id.__getitem__, merged[candidate.id]), key=_newest_first)
        for candidate in first
        if merged[candidate.id]
    }
    ordered = order_corrections(first, corrected, max(request.limit, len(first)))
    unknown, human = connected.found.unknown, load_human()
    sure = max((confidence(group.candidates.signals, unknown, human) for group in groups), default=0.0)
    return Best(connected, ordered, sure, others)


def _text(row: RankingRow) -> CandidateText:
    """Return what a memory says, and what makes it another thing to say."""
    by_whom = (row.role, row.speaker.casefold(), row.kind, row.message_id is None)
    state = (row.asks, row.archived, row.event_times, bool(row.corrected_by))
    return CandidateText(row.id, row.text_or_hash, by_whom + state)


def _newest_first(row: RankingRow) -> tuple[float, int]:
    return -row.created_at.timestamp(), row.id.int


def _corrected_by(
    shown: Sequence[RankingRow], request: SearchRequest, found: Found, repeated: AbstractSet[UUID]
) -> Mapping[UUID, Sequence[UUID]]:
    """Return the corrections of each memory, without repeated ones and those that a filter excludes."""
    time = request.analysis.time
    bound = request.filters is not None or (time is not None and time.strict)
    return {
        one.id: [
            each for each in one.corrected_by if each not in repeated and (not bound or each in found.hits)
        ]
        for one in shown
        if one.corrected_by
    }


def _coming_time(request: SearchRequest) -> Interval | None:
    """Return the rest of the requested time if the question asks for coming events, else None."""
    time, span = request.analysis.time, requested_span(request)
    if time is None or span is None or not time.ahead:
        return None
    return remaining_span(span, request.now)


def requested_span(request: SearchRequest) -> Interval | None:
    """Return the time that a question asks for, by its filters or its words; None for no time."""
    filters = request.filters
    if filters is not None and (filters.start is not None or filters.end is not None):
        return Interval(filters.start or EARLIEST, filters.end or LATEST)
    time = request.analysis.time
    return None if time is None else Interval(time.start, time.through)


def _is_shown(one: RankingRow, request: SearchRequest) -> bool:
    if one.archived and not looks_into_archive(request.analysis, request.filters):
        return False
    if not one.informative and not looks_at_uninformative(request.analysis, request.filters):
        return False
    return request.summaries or one.kind not in _SUMMARISING


def profiles_for(model: str, changes: Mapping[str, Mapping[str, float]]) -> Mapping[str, RankingProfile]:
    """Return the profiles by name; warns if the learned one was not fitted to the vectors of a model.

    Raises:
        UnknownProfile: there is no such profile.
        UnknownWeight: a profile has no such weight.
        ValueError: a weight is out of range.
    """
    learned_on = load_human().model
    if learned_on != model:
        _log.warning("human ranks by weights of another model", learned_on=learned_on, model=model)
    return load_profiles(changes)
