"""Converts filters, points and queries to the types of Qdrant's engine, and its results back."""

from collections.abc import Mapping
from typing import Final, TypeVar
from uuid import UUID

import qdrant_edge as edge

from ricordo.index.port import Point
from ricordo.index.qdrant.candidates import IndexQuery, Scores
from ricordo.index.qdrant.conditions import (
    KEYWORDS,
    NUMBERS,
    TEXT,
    TEXT_TERMS,
    WINDOW,
    WINDOW_TERMS,
    Condition,
    dense_vectors,
    payload,
)
from ricordo.memory.ranking.bm25 import SparseVector

Name = TypeVar("Name", str, UUID)
_Part = (
    edge.FieldCondition
    | edge.IsEmptyCondition
    | edge.IsNullCondition
    | edge.HasIdCondition
    | edge.HasVectorCondition
    | edge.NestedCondition
    | edge.Filter
)

INDEXES: Final = {
    **dict.fromkeys(KEYWORDS, edge.PayloadSchemaType.Keyword),
    **dict.fromkeys(NUMBERS, edge.PayloadSchemaType.Float),
}

_CLAUSES: Final = {"must", "should", "must_not"}
# All texts and windows of a user are compared at four bits per dimension, and four times as many in full as
# are wanted: of many nearly equal texts, one may still be missed. A shard of a former version has the windows
# alone at four bits: it is slower.
_QUANTIZED: Final = edge.TurboQuantQuantizationConfig(
    bits=edge.TurboQuantBitSize.Bits4, memory=edge.Memory.Pinned
)
RESCORED: Final = edge.SearchParams(
    quantization=edge.QuantizationSearchParams(rescore=True, oversampling=4.0)
)
_UNQUANTIZED: Final = edge.SearchParams(quantization=edge.QuantizationSearchParams(ignore=True))

# Over no document at all every word is as rare as every other.
NO_CORPUS: Final = edge.Filter(must=[edge.HasIdCondition({UUID(int=0)})])


def config(dimensions: int) -> edge.EdgeConfig:
    """Return the configuration of a shard: two dense vectors and the words of both texts."""
    dense = edge.EdgeVectorParams(
        size=dimensions,
        distance=edge.Distance.Cosine,
        datatype=edge.VectorStorageDatatype.Float16,
        quantization_config=_QUANTIZED,
    )
    words = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
    return edge.EdgeConfig(
        vectors={TEXT: dense, WINDOW: dense},
        sparse_vectors={TEXT_TERMS: words, WINDOW_TERMS: words},
        max_search_threads=1,  # without the optimiser there is one segment; further threads would only spin
    )


def point_of(tenant: str, point: Point) -> edge.Point:
    """Return a point with its payload."""
    return edge.Point(
        point.id,
        {
            **dense_vectors(point),
            TEXT_TERMS: _sparse(point.text_terms),
            WINDOW_TERMS: _sparse(point.window_terms),
        },
        payload(tenant, point.facets),
    )


def _sparse(terms: SparseVector) -> edge.SparseVector:
    return edge.SparseVector(terms.indices.tolist(), terms.weights.tolist())


def request_of(
    signal: str,
    probe: IndexQuery,
    within: edge.Filter,
    statistics: edge.SearchParams,
    limit: int,
    *,
    chosen: bool,
) -> edge.QueryRequest:
    """Return the request for the best `limit` (>= 1) points by a signal.

    Args:
        statistics: of the user's words.
        chosen: `within` selects few points, all of which are wanted.
    """
    vector, params = probe.dense(signal), _UNQUANTIZED if chosen else RESCORED
    if vector is None:
        query, params = edge.Query.Nearest(_sparse(probe.terms), using=signal), statistics
    else:
        query = edge.Query.Nearest(vector.tolist(), using=signal)
    return edge.QueryRequest(limit=limit, query=query, filter=within, params=params)


def statistics_of(memories: edge.Filter) -> edge.SearchParams:
    """Score words by how many of these memories contain them."""
    return edge.SearchParams(idf=edge.IdfParams(corpus=memories))


def query_batch(shard: edge.EdgeShard, requests: Mapping[Name, edge.QueryRequest]) -> dict[Name, Scores]:
    """Run all requests at once, and return the scores of each, best first."""
    answers = shard.query_batch(edge.QueryBatchRequest(list(requests.values())))
    return {
        name: {id_of(item.id): item.score for item in answer}
        for name, answer in zip(requests, answers, strict=True)
    }


def id_of(found: int | UUID | str) -> UUID:
    """Return a point's id; ours are never numbers."""
    return found if isinstance(found, UUID) else UUID(str(found))


def filter_of(condition: Condition) -> edge.Filter:
    """Convert a filter to the engine's type.

    Raises:
        ValueError: it is empty or has an unknown part: the engine would match all points, also of others.
    """
    if not condition or not condition.keys() <= _CLAUSES or not all(condition.values()):
        raise ValueError(f"no filter of Qdrant: {condition}")
    parts = {clause: [_condition(item) for item in items] for clause, items in condition.items()}
    return edge.Filter(must=parts.get("must"), should=parts.get("should"), must_not=parts.get("must_not"))


def _condition(condition: Condition) -> _Part:
    match condition:
        case {"key": key, "match": {"any": [value]}}:
            return edge.FieldCondition(key=key, match=edge.MatchValue(value=value))
        case {"key": key, "match": {"any": values}}:
            return edge.FieldCondition(key=key, match=edge.MatchAny(any=values))
        case {"key": key, "range": bounds}:
            return edge.FieldCondition(key=key, range=edge.RangeFloat(**bounds))
        case {"nested": {"key": key, "filter": within}}:
            return edge.NestedCondition(key, filter_of(within))
        case {"has_id": ids}:
            return edge.HasIdCondition(set(ids))
        case _:
            return filter_of(condition)
