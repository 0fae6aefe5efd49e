"""One embedding model's points in Qdrant's engine.

All calls block and hold the interpreter lock; one thread makes them.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import qdrant_edge as edge

from ricordo.index.port import Facets, Hit, IndexUnavailable, Neighbour, Point, Scope
from ricordo.index.qdrant import candidates
from ricordo.index.qdrant.conditions import (
    ONE_LENGTH,
    TENANT,
    TEXT,
    TEXT_TERMS,
    corpus,
    in_scope,
    informative,
    of_tenant,
    payload,
)
from ricordo.index.qdrant.edge_requests import (
    INDEXES,
    NO_CORPUS,
    RESCORED,
    config,
    filter_of,
    id_of,
    point_of,
    query_batch,
    request_of,
    statistics_of,
)
from ricordo.memory.ranking.bm25 import SparseVector


class Shard:
    """Reads and writes the points of an open shard."""

    def __init__(self, shard: edge.EdgeShard) -> None:
        self._shard = shard

    def write(self, tenant: str, points: Sequence[Point]) -> None:
        """Write points, replacing those of the same ids."""
        written = {point.id: point_of(tenant, point) for point in points}
        self._shard.update(edge.UpdateOperation.upsert_points(list(written.values())))

    def refilter(self, tenant: str, facets: Sequence[Facets]) -> None:
        """Write the changed payload fields only: each one is indexed again, at a tenth of a millisecond."""
        records = self._shard.retrieve([item.id for item in facets], with_payload=True, with_vector=False)
        before = {id_of(record.id): record.payload or {} for record in records}
        for item in facets:
            old, new = before.get(item.id, {}), payload(tenant, item)
            if old.get(TENANT) != tenant:  # no point, or another tenant's
                continue
            changed = {key: value for key, value in new.items() if old.get(key) != value}
            if changed:
                self._shard.update(edge.UpdateOperation.set_payload([item.id], changed))
            if gone := [key for key in old if key not in new]:
                self._shard.update(edge.UpdateOperation.delete_payload([item.id], gone))

    def delete(self, tenant: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant."""
        self._shard.update(edge.UpdateOperation.delete_points_by_filter(filter_of(of_tenant(tenant, ids))))

    def search(self, tenant: str, scope: Scope, probe: candidates.IndexQuery, limit: int) -> list[Hit]:
        """Find candidates with all their scores."""
        within = in_scope(tenant, scope)
        if not probe.signals:
            return list(map(Hit, self._latest(filter_of(within), limit)))
        statistics = statistics_of(filter_of(corpus(tenant, scope.user_id)))

        def scores(
            signals: Sequence[str], within: edge.Filter, limit: int, *, chosen: bool
        ) -> dict[str, candidates.Scores]:
            requests = {
                one: request_of(one, probe, within, statistics, limit, chosen=chosen) for one in signals
            }
            return query_batch(self._shard, requests)

        found = scores(probe.naming, filter_of(within), limit, chosen=False)
        ids = candidates.named(found)
        if again := probe.lacking(found, limit, len(ids)):
            of_ids = edge.Filter(must=[edge.HasIdCondition(set(ids))])
            found |= scores(again, of_ids, len(ids), chosen=True)
        return candidates.hits(ids, found)

    def neighbours(
        self, tenant: str, user_id: str, ids: Sequence[UUID], limit: int, threshold: float
    ) -> dict[UUID, list[Neighbour]]:
        """Return the nearest memories of each of `ids`, at most `limit` each."""
        scope = Scope(user_id=user_id)
        within = filter_of(in_scope(tenant, replace(scope, ids=ids)))
        chosen = edge.ScrollRequest(limit=len(ids), filter=within, with_payload=False, with_vector=[TEXT])
        requests = {
            id_of(record.id): edge.QueryRequest(
                limit=limit + 1,  # itself among them
                query=edge.Query.Nearest(record.vector[TEXT], using=TEXT),
                filter=filter_of(in_scope(tenant, scope)),
                params=RESCORED,
                score_threshold=threshold,
            )
            for record in self._shard.scroll(chosen)[0]
            if isinstance(record.vector, dict) and TEXT in record.vector  # a refused text has none
        }
        near = query_batch(self._shard, requests)
        return {memory_id: candidates.others(memory_id, near[memory_id].items(), limit) for memory_id in near}

    def rarities(self, tenant: str, user_id: str, terms: SparseVector) -> Mapping[int, float]:
        """Return the IDF of terms over the texts of a user."""
        of_user = filter_of(corpus(tenant, user_id))
        found = self._one_per_term(of_user, terms.indices.tolist(), of_user)
        return {term: candidates.idf_of(point, term) for term, point in found.items()}

    def present_terms(self, tenant: str, user_id: str, terms: Sequence[int]) -> set[int]:
        """Return those terms that an informative memory of the user contains."""
        return set(self._one_per_term(filter_of(informative(tenant, user_id)), terms))

    def count(self, tenant: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        return self._shard.count(edge.CountRequest(filter=filter_of(in_scope(tenant, scope)), exact=True))

    def flush(self) -> None:
        """Flush the engine's log to disk."""
        self._shard.flush()

    def close(self) -> None:
        """Release; changes that are not flushed remain in the engine's log."""
        self._shard.close()

    def _one_per_term(
        self, within: edge.Filter, terms: Sequence[int], statistics: edge.Filter | None = None
    ) -> dict[int, edge.ScoredPoint]:
        """Return a memory for each term that any contains.

        Args:
            statistics: selects the memories by whose statistics they are scored; then they have their terms.
        """
        requests = [
            edge.QueryRequest(
                limit=1,
                query=edge.Query.Nearest(edge.SparseVector([term], [1.0]), using=TEXT_TERMS),
                filter=within,
                params=statistics_of(NO_CORPUS if statistics is None else statistics),
                with_vector=None if statistics is None else [TEXT_TERMS],
            )
            for term in terms
        ]
        answers = self._shard.query_batch(edge.QueryBatchRequest(requests))
        return {term: answer[0] for term, answer in zip(terms, answers, strict=True) if answer}

    def _latest(self, within: edge.Filter, limit: int) -> list[UUID]:
        """Return the latest memories, newest first."""
        order = edge.OrderBy("created", direction=edge.Direction.Desc)
        request = edge.ScrollRequest(limit=limit, filter=within, order_by=order)
        return [id_of(record.id) for record in self._shard.scroll(request)[0]]


def opened(path: Path, dimensions: int) -> edge.EdgeShard:
    """Open or create the shard in `path`.

    Raises:
        IndexUnavailable: another process has it open, or it has vectors of another length.
        Exception: of the engine, if the folder cannot be written.
    """
    if not path.exists():
        _create(path, config(dimensions))
    try:
        shard = edge.EdgeShard.load(str(path), config(dimensions))
    except Exception as error:
        if "WouldBlock" in str(error):
            raise IndexUnavailable(f"another process has the vector index in {path} open") from error
        if "expected vector size" in str(error):
            raise IndexUnavailable(f"{path} cannot be opened ({error}): {ONE_LENGTH}") from error
        raise
    missing = set(INDEXES) - set(shard.info().payload_schema)
    for key in sorted(missing):  # of a former version, or a new one
        shard.update(edge.UpdateOperation.create_field_index(key, INDEXES[key]))
    return shard


def _create(path: Path, made_as: edge.EdgeConfig) -> None:
    """Create a shard next to its place and move it there, so that a partial one is never used."""
    aside = path.with_name(f"{path.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    edge.EdgeShard.create(str(aside), made_as).close()
    aside.rename(path)
