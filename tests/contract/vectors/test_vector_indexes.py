"""The contract of the vector index, on every adapter and on the fake."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from qdrant_client import AsyncQdrantClient

from ricordo.index.port import IndexUnavailable, VectorIndex
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.qdrant.server import ServerVectorIndex
from ricordo.testing.factories import DIMENSIONS
from ricordo.testing.fakes.vectors import MemoryVectorIndex
from ricordo.testing.vector_searches import MODEL
from ricordo.testing.vectors import VectorIndexContract


class TestEdge(VectorIndexContract):
    """The engine in this process."""

    @pytest.fixture
    async def index(self, tmp_path: Path) -> AsyncIterator[VectorIndex]:
        index = EdgeVectorIndex(tmp_path)
        yield index
        await index.close()


class TestEdgeCountingWords(VectorIndexContract):
    """The engine in this process, when it counts everybody's words."""

    @pytest.fixture
    async def index(self, tmp_path: Path) -> AsyncIterator[VectorIndex]:
        index = EdgeVectorIndex(tmp_path, counted_from=1)
        yield index
        await index.close()


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
class TestServer(VectorIndexContract):
    """A server, whose part the client's own local mode plays."""

    @pytest.fixture
    async def index(self) -> AsyncIterator[VectorIndex]:
        index = ServerVectorIndex(AsyncQdrantClient(":memory:"))
        yield index
        await index.close()

    async def test_a_collection_of_other_dimensions_is_refused(self, index: VectorIndex) -> None:
        await index.prepare(MODEL, DIMENSIONS)
        with pytest.raises(IndexUnavailable, match="16 dimensions, not of 4"):
            await index.prepare(MODEL, 4)


class TestMemory(VectorIndexContract):
    """The fake."""

    @pytest.fixture
    async def index(self) -> VectorIndex:
        return MemoryVectorIndex()

    async def test_it_can_be_told_to_be_away(self) -> None:
        index = MemoryVectorIndex()
        await index.prepare(MODEL, DIMENSIONS)
        index.away = True
        with pytest.raises(IndexUnavailable):
            await index.upsert("acme", MODEL, [])


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    index = ServerVectorIndex(AsyncQdrantClient("http://127.0.0.1:1", timeout=2, check_compatibility=False))
    with pytest.raises(IndexUnavailable, match="could not answer"):
        await index.prepare(MODEL, DIMENSIONS)
    await index.close()
