"""Fuses dense and BM25 results: reciprocal rank fusion, weighted fusion, minimum scores."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

DENSE_WEIGHT = 0.7
BM25_WEIGHT = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimums:
    """Thresholds before and after fusion, for the profiles that use them.

    Attributes:
        idf: query terms below it are ignored, unless all are.
        semantic_score: the least cosine of a dense result.
        similarity: the least score after fusion.
    """

    idf: float = 0.6
    semantic_score: float = 0.35
    similarity: float = 0.4


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
