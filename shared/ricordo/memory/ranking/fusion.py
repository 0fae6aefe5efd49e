"""Fuses dense and BM25 results, merges rankings, and moves corrections and coming events to their places."""

import datetime as dt
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Final, TypeVar
from uuid import UUID

from ricordo.language.annotations import E5, EventTime
from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.signals import Interval

Key = TypeVar("Key", bound=Hashable)

DENSE_WEIGHT = 0.7
BM25_WEIGHT = 0.3


_SEMANTIC_MINIMUMS: Final[Mapping[str, float]] = MappingProxyType({E5: 0.23})
"""By embedding model, the cosine to a question that few turns of chats reach."""
_SEMANTIC_MINIMUM: Final = 0.35  # of the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimums:
    """Thresholds before and after fusion, for the profiles that use them.

    Attributes:
        idf: query terms below it are ignored, unless all are.
        semantic_score: the least cosine of a dense result; None for that of its embedding model.
        similarity: the least score after fusion.
    """

    idf: float = 0.6
    semantic_score: float | None = None
    similarity: float = 0.4

    def cosine(self, model: str) -> float:
        """Return the cosine to a question below which a memory of an embedding model does not count."""
        fitted = _SEMANTIC_MINIMUMS.get(model, _SEMANTIC_MINIMUM)
        return fitted if self.semantic_score is None else self.semantic_score


NO_MINIMUMS = Minimums(idf=0.0, semantic_score=-1.0, similarity=0.0)


def at_least(scores: Mapping[Key, float], minimum: float) -> dict[Key, float]:
    """Keep the scores that reach `minimum`, in their order."""
    return {key: score for key, score in scores.items() if score >= minimum}


def by_rank(scores: Mapping[Key, float]) -> list[Key]:
    """Return the keys by descending score; ties keep their order."""
    return sorted(scores, key=scores.__getitem__, reverse=True)


def rank_constant(candidates: int) -> float:
    """Return k = clamp(candidates/10, 10, 60): with few candidates the first ranks count for more."""
    return min(60.0, max(10.0, candidates / 10))


def reciprocal_rank(rankings: Sequence[Sequence[Key]], *, candidates: int | None = None) -> dict[Key, float]:
    """Fuse rankings by reciprocal rank (Cormack et al. 2009): the sum of 1/(k + rank), scaled to [0, 1].

    Ranks begin at 1. The sum is divided by n/(k + 1), n being the number of rankings.

    Args:
        rankings: of each search, best first. A search without results is an empty ranking; one that failed
            must be left out, or it would halve the scores of the other.
        candidates: for k; by default the number of distinct keys.

    Returns:
        The score of every key, best first.
    """
    k = rank_constant(
        len({key for ranking in rankings for key in ranking}) if candidates is None else candidates
    )
    sums: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            sums[key] = sums.get(key, 0.0) + 1 / (k + rank)
    best = len(rankings) / (k + 1)
    # Division may land a hair above the bound that the ranks promise.
    return {key: min(1.0, sums[key] / best) for key in by_rank(sums)}


def weighted(semantic: Mapping[Key, float], bm25: Mapping[Key, float]) -> dict[Key, float]:
    """Fuse scores as 0.7 max(0, cosine) + 0.3 BM25, the latter as a share of the best of this query.

    Returns:
        The score of every key, [0, 1], best first.
    """
    top = max(bm25.values(), default=0.0)
    share = 1 / top if top > 0 else 0.0
    fused = {
        key: DENSE_WEIGHT * max(0.0, semantic.get(key, 0.0)) + BM25_WEIGHT * bm25.get(key, 0.0) * share
        for key in dict.fromkeys((*semantic, *bm25))
    }
    return {key: fused[key] for key in by_rank(fused)}


def order_corrections(
    ranked: Sequence[Ranked], corrected_by: Mapping[UUID, Sequence[UUID]], limit: int | None = None
) -> list[Ranked]:
    """Return a ranking in which each correction precedes what it corrects.

    A correction that ranks lower, or was not found, is moved right before what it corrects and gets its
    score. Scores stay in descending order.

    Args:
        corrected_by: corrections of a memory, direct and transitive, latest first.
    """
    if not corrected_by:
        return list(ranked[:limit])
    by_id = {one.id: one for one in ranked}
    ordered: dict[UUID, Ranked] = {}
    pending: set[UUID] = set()

    def place(one: Ranked) -> None:
        if one.id in ordered or one.id in pending:
            return
        pending.add(one.id)
        for each in corrected_by.get(one.id, ()):
            own = by_id.get(each) or Ranked(each, one.score)
            place(own._replace(score=max(own.score, one.score)))
        ordered[one.id] = one

    for one in ranked:
        place(one)
    return list(ordered.values())[:limit]


_A_DAY: Final = dt.timedelta(hours=25)


def remaining_span(asked: Interval, now: dt.datetime) -> Interval | None:
    """Return what of a span is to come; all of a day that is not over, None of what is over."""
    if asked.end <= now:
        return None
    if asked.end - asked.start <= _A_DAY or asked.start >= now:
        return asked
    return Interval(now, asked.end)


def order_by_event_time(
    ranked: Sequence[Ranked], event_times: Mapping[UUID, Sequence[EventTime]], asked: Interval
) -> list[Ranked]:
    """Put what happens within `asked` first, earliest first; the others keep their order.

    Scores are raised where needed to stay in descending order.
    """
    begins = {one.id: _first_within(event_times.get(one.id, ()), asked) for one in ranked}
    coming = [(begin, place) for place, one in enumerate(ranked) if (begin := begins[one.id]) is not None]
    order = [one for one in ranked if begins[one.id] is None]
    for _, place in sorted(coming, reverse=True):
        above = math.nextafter(order[0].score, math.inf) if order else -math.inf
        order.insert(0, ranked[place]._replace(score=max(ranked[place].score, above)))
    return order


def _first_within(times: Sequence[EventTime], asked: Interval) -> dt.datetime | None:
    return min((one.start for one in times if one.start < asked.end and one.end > asked.start), default=None)


def merge_rankings(rankings: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """Merge rankings of different embedding models by reciprocal rank.

    Scores are raised where needed to stay in descending order. A memory in two rankings keeps the
    score of the first.

    Args:
        rankings: each best first; ties go to the earlier ranking.
    """
    by_id = {one.id: one for ranking in reversed(rankings) for one in ranking}
    order = list(reciprocal_rank([[one.id for one in ranking] for ranking in rankings]))
    raised = list(accumulate((by_id[one].score for one in reversed(order)), max))[::-1]
    return [by_id[one]._replace(score=score) for one, score in zip(order, raised, strict=True)]
