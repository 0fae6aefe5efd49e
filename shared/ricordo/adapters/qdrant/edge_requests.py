"""What Qdrant's engine is told, and what it says, in its own types."""

from typing import Final
from uuid import UUID

import qdrant_edge as edge

from ricordo.adapters.qdrant import candidates
from ricordo.adapters.qdrant.conditions import (
    KEYWORDS,
    NUMBERS,
    TEXT,
    TEXT_TERMS,
    WINDOW,
    WINDOW_TERMS,
    AllOf,
    AnyOf,
    Between,
    Condition,
    HasId,
    Match,
    payload,
)
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Point

_Part = (
    edge.FieldCondition
    | edge.IsEmptyCondition
    | edge.IsNullCondition
    | edge.HasIdCondition
    | edge.HasVectorCondition
    | edge.NestedCondition
    | edge.Filter
)


def config(dimensions: int) -> edge.EdgeConfig:
    """Return what a shard holds: two dense vectors of so many dimensions, and the words of both texts."""
    dense = edge.EdgeVectorParams(size=dimensions, distance=edge.Distance.Cosine)
    sparse = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
    return edge.EdgeConfig(
        vectors={TEXT: dense, WINDOW: dense}, sparse_vectors={TEXT_TERMS: sparse, WINDOW_TERMS: sparse}
    )


INDEXES: Final = {
    **dict.fromkeys(KEYWORDS, edge.PayloadSchemaType.Keyword),
    **dict.fromkeys(NUMBERS, edge.PayloadSchemaType.Float),
}


def point_of(tenant: str, point: Point) -> edge.Point:
    """Return a point with its payload."""
    return edge.Point(
        point.id,
        {
            TEXT: point.text_vector.tolist(),
            WINDOW: point.window_vector.tolist(),
            TEXT_TERMS: _sparse(point.text_terms),
            WINDOW_TERMS: _sparse(point.window_terms),
        },
        payload(tenant, point.facets),
    )


def _sparse(terms: SparseVector) -> edge.SparseVector:
    return edge.SparseVector(terms.indices.tolist(), terms.weights.tolist())


def query(
    name: str, probe: candidates.Probe, within: edge.Filter, statistics: edge.Filter, limit: int
) -> edge.QueryRequest:
    """Ask one signal for its best `limit` within a filter; `statistics` holds the corpus of its words."""
    if (vector := probe.dense(name)) is not None:
        nearest = edge.Query.Nearest(vector.tolist(), using=name)
        return edge.QueryRequest(limit=limit, query=nearest, filter=within)
    return edge.QueryRequest(
        limit=limit,
        query=edge.Query.Nearest(_sparse(probe.terms), using=name),
        filter=within,
        params=edge.SearchParams(idf=edge.IdfParams(corpus=statistics)),
    )


def asked(shard: edge.EdgeShard, requests: list[edge.QueryRequest]) -> list[candidates.Scores]:
    """Ask all at once, and return the scores of each."""
    answers = shard.query_batch(edge.QueryBatchRequest(requests))
    return [{id_of(one.id): one.score for one in answer} for answer in answers]


def latest(shard: edge.EdgeShard, within: AllOf, limit: int) -> list[UUID]:
    """Return the last that were said, newest first."""
    order = edge.OrderBy("created", direction=edge.Direction.Desc)
    request = edge.ScrollRequest(limit=limit, filter=filter_of(within), order_by=order)
    return [id_of(record.id) for record in shard.scroll(request)[0]]


def id_of(found: int | UUID | str) -> UUID:
    """Return a point's id; none of ours is a number."""
    return found if isinstance(found, UUID) else UUID(str(found))


def filter_of(condition: AllOf | AnyOf) -> edge.Filter:
    """Write a condition as the engine's filter."""
    parts: list[_Part] = [_condition(one) for one in condition.conditions]
    return edge.Filter(must=parts) if isinstance(condition, AllOf) else edge.Filter(should=parts)


def _condition(condition: Condition) -> _Part:
    match condition:
        case Match(key, (value,)):
            return edge.FieldCondition(key=key, match=edge.MatchValue(value=value))
        case Match(key, values):
            return edge.FieldCondition(key=key, match=edge.MatchAny(any=list(values)))
        case Between(key, at_least, above, below):
            return edge.FieldCondition(key=key, range=edge.RangeFloat(gte=at_least, gt=above, lt=below))
        case HasId(ids):
            return edge.HasIdCondition(set(ids))
        case AllOf() | AnyOf():
            return filter_of(condition)
