"""From what was found to the best of it: what the truth says of each, its signals, and a profile's order."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from uuid import UUID

from ricordo.domain.ranking import Profile, Ranked, rank
from ricordo.domain.ranking.merging import merged
from ricordo.domain.ranking.signals import Span
from ricordo.domain.temporal import EARLIEST, LATEST
from ricordo.ports.recollection import Recollection, Standing
from ricordo_services.retrieval.key_topics import KeyTopics
from ricordo_services.retrieval.search import Asked, Found, looks_at_uninformative, looks_into_archive
from ricordo_services.retrieval.signals import Query, measured

_STANDS_FOR_OTHERS = "synthesis"
_SUMMARISING = frozenset({"summary", _STANDS_FOR_OTHERS})
"""Kinds that stand for others: they join in a context, and elsewhere where they are asked for."""


@dataclass(frozen=True, slots=True)
class Rank:
    """Ranks what was found; what has no row is not shown."""

    recollection: Recollection
    key_topics: KeyTopics

    async def __call__(self, tenant: str, asked: Asked, found: Found, profile: Profile) -> Sequence[Ranked]:
        """Return the best of what was found, as many as were asked for.

        Raises:
            StoreUnavailable: the rows cannot be read.
        """
        if not found.hits:
            return ()
        standings = await self.recollection.standings(tenant, asked.user_id, list(found.hits))
        shown = [one for one in standings if _is_shown(one, asked)]
        query = Query(
            text=asked.text,
            analysis=asked.analysis,
            span=asked_span(asked),
            now=asked.now,
            boosts=await self.key_topics.boosts(shown, asked.vectors.get(self.key_topics.encoder.model)),
        )
        parts = _by_model(shown, found) if profile.by_meaning else [shown]
        beside = {one.id for one in shown if one.kind == _STANDS_FOR_OTHERS} if asked.beside else set()
        most = asked.limit + len(beside)
        rankings = [rank(measured(part, found, query), profile, most) for part in parts]
        best = rankings[0] if len(rankings) == 1 else merged(rankings, most)
        return _first(best, asked.limit, beside)


def _first(best: Sequence[Ranked], limit: int, beside: Collection[UUID]) -> Sequence[Ranked]:
    """Return the first `limit`, and those of `beside` that come before the last of them."""
    counted = accumulate(one.id not in beside for one in best)
    return [one for one, count in zip(best, counted, strict=True) if count <= limit]


def asked_span(asked: Asked) -> Span | None:
    """Return the time that a question asks for, as a filter or as a preference; None for no time."""
    filters = asked.filters
    if filters is not None and (filters.start is not None or filters.end is not None):
        return Span(filters.start or EARLIEST, filters.end or LATEST)
    time = asked.analysis.time
    return None if time is None else Span(time.start, time.through)


def _by_model(shown: Sequence[Standing], found: Found) -> list[Sequence[Standing]]:
    """Return apart what was found by different models, whose cosines do not compare; the most first."""
    parts: dict[str, list[Standing]] = {model: [] for model in dict.fromkeys(found.models.values())}
    for one in shown:
        parts[found.models[one.id]].append(one)
    return sorted(filter(None, parts.values()), key=len, reverse=True) or [shown]


def _is_shown(one: Standing, asked: Asked) -> bool:
    if one.archived and not looks_into_archive(asked.analysis, asked.filters):
        return False
    if not one.informative and not looks_at_uninformative(asked.analysis, asked.filters):
        return False
    return asked.summaries or one.kind not in _SUMMARISING
