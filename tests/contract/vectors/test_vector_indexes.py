"""The contract of the vector index, on engines that refuse each request whose filter names no tenant."""

# ruff: noqa: ANN401 - what is passed on is the engines' business

from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, cast
from uuid import UUID

import pytest
import qdrant_edge
from qdrant_client import AsyncQdrantClient, models
from tests.support.factories import DIMENSIONS
from tests.support.vector_searches import MODEL
from tests.support.vectors import VectorIndexContract

from ricordo.index.port import IndexUnavailable, Scope, VectorIndex
from ricordo.index.qdrant import edge_shard, owned_shard
from ricordo.index.qdrant.conditions import LIVE, OWNER, TENANT
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.qdrant.qdrant_server import ServerVectorIndex

_NAMING: Final = (OWNER, LIVE, TENANT)
_NO_POINT: Final = UUID(int=0)


class WithoutTenant(AssertionError):
    """A request that would reach the points of every tenant."""


def names_tenant(condition: Any) -> bool:
    """Whether a condition of either engine lets the points of one owner or tenant pass only."""
    match = getattr(condition, "match", None)
    values = getattr(match, "any", None) or [getattr(match, "value", None)]
    return getattr(condition, "key", None) in _NAMING and len(values) == 1 and bool(values[0])


class GuardedShard:
    """The engine in process, before it the look at each filter."""

    def __init__(self, shard: qdrant_edge.EdgeShard) -> None:
        self._shard = shard
        self._found: set[UUID] = {_NO_POINT}

    def __getattr__(self, name: str) -> Any:
        if name not in {"update", "retrieve", "info", "flush", "close", "optimize", "snapshot_manifest"}:
            raise WithoutTenant(f"nobody looks at what {name} asks for")
        return getattr(self._shard, name)

    def query_batch(self, batch: qdrant_edge.QueryBatchRequest) -> Any:
        for query in batch.queries:
            self._look(query.filter)
            if query.params is not None and query.params.idf is not None:
                self._look(query.params.idf.corpus)
        answers = self._shard.query_batch(batch)
        self._found |= {UUID(str(one.id)) for answer in answers for one in answer}
        return answers

    def scroll(self, request: qdrant_edge.ScrollRequest) -> Any:
        self._look(request.filter)
        return self._shard.scroll(request)

    def count(self, request: qdrant_edge.CountRequest) -> Any:
        self._look(request.filter)
        return self._shard.count(request)

    def _look(self, wanted: qdrant_edge.Filter | None) -> None:
        must = _listed(None if wanted is None else wanted.must)
        chosen = [one.point_ids for one in must if isinstance(one, qdrant_edge.HasIdCondition)]
        # those that a request with the tenant has found may be asked for again by their ids
        if not any(map(names_tenant, must)) and not any(set(ids) <= self._found for ids in chosen):
            raise WithoutTenant(f"asked for {must}")


class GuardedClient:
    """The client of a server, before it the look at each filter."""

    def __init__(self, client: AsyncQdrantClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        known = {"collection_exists", "create_collection", "get_collection", "create_payload_index"}
        if name not in known | {"upsert", "close"}:
            raise WithoutTenant(f"nobody looks at what {name} asks for")
        return getattr(self._client, name)

    async def query_batch_points(self, name: str, requests: Sequence[models.QueryRequest]) -> Any:
        for request in requests:
            self._look(request.filter)
            if request.params is not None and request.params.idf is not None:
                self._look(request.params.idf.corpus)  # type: ignore[union-attr]  # the only kind that we send
        return await self._client.query_batch_points(name, requests)

    async def scroll(self, name: str, *, scroll_filter: models.Filter, **more: Any) -> Any:
        self._look(scroll_filter)
        return await self._client.scroll(name, scroll_filter=scroll_filter, **more)

    async def count(self, name: str, *, count_filter: models.Filter, **more: Any) -> Any:
        self._look(count_filter)
        return await self._client.count(name, count_filter=count_filter, **more)

    async def delete(self, name: str, *, points_selector: models.FilterSelector, **more: Any) -> Any:
        self._look(points_selector.filter)
        return await self._client.delete(name, points_selector=points_selector, **more)

    async def batch_update_points(
        self, name: str, changes: Sequence[models.OverwritePayloadOperation], **more: Any
    ) -> Any:
        for change in changes:
            self._look(change.overwrite_payload.filter)
        return await self._client.batch_update_points(name, changes, **more)

    def _look(self, wanted: Any) -> None:
        if not any(map(names_tenant, _listed(None if wanted is None else wanted.must))):
            raise WithoutTenant(f"asked for {wanted}")


def _listed(conditions: Any) -> list[Any]:
    if conditions is None:
        return []
    return list(conditions) if isinstance(conditions, Iterable) else [conditions]


class TestEdge(VectorIndexContract):
    """The engine in this process."""

    @pytest.fixture
    async def index(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[VectorIndex]:
        really_opened = edge_shard.opened
        monkeypatch.setattr(owned_shard, "opened", lambda path, size: GuardedShard(really_opened(path, size)))
        index = EdgeVectorIndex(tmp_path)
        yield index
        await index.close()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
@pytest.mark.filterwarnings("ignore:Local mode performs exact .brute-force. search")
class TestServer(VectorIndexContract):
    """A server, whose part the client's own local mode plays."""

    @pytest.fixture
    async def index(self) -> AsyncIterator[VectorIndex]:
        guarded = GuardedClient(AsyncQdrantClient(":memory:"))
        index = ServerVectorIndex(cast("AsyncQdrantClient", guarded))
        yield index
        await index.close()

    async def test_a_collection_of_other_dimensions_is_refused(self, index: VectorIndex) -> None:
        await index.prepare(MODEL, DIMENSIONS)
        with pytest.raises(IndexUnavailable, match="16 dimensions, not of 4"):
            await index.prepare(MODEL, 4)


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    index = ServerVectorIndex(AsyncQdrantClient("http://127.0.0.1:1", timeout=2, check_compatibility=False))
    with pytest.raises(IndexUnavailable, match="could not answer"):
        await index.prepare(MODEL, DIMENSIONS)
    await index.close()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
async def test_a_request_without_the_tenant_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without = "ricordo.index.qdrant.{}.in_scope"
    guarded = GuardedClient(AsyncQdrantClient(":memory:"))
    really_opened = edge_shard.opened
    monkeypatch.setattr(owned_shard, "opened", lambda path, size: GuardedShard(really_opened(path, size)))
    indexes = (ServerVectorIndex(cast("AsyncQdrantClient", guarded)), EdgeVectorIndex(tmp_path))
    for module in ("qdrant_server", "edge_shard"):
        monkeypatch.setattr(
            without.format(module),
            lambda _tenant, _scope: {"must": [{"key": "type", "match": {"any": ["episodic"]}}]},
        )
    for index in indexes:
        await index.prepare(MODEL, DIMENSIONS)
        with pytest.raises((WithoutTenant, IndexUnavailable), match="asked for"):
            await index.count("acme", MODEL, Scope(user_id="u-1"))
        await index.close()
