"""The engine in this process keeps on disk what it acknowledged, and its folder belongs to one process."""

import subprocess
import sys
from pathlib import Path

import pytest
import qdrant_edge as edge
from tests.fixtures.eventually import eventually
from tests.support.factories import DIMENSIONS, point
from tests.support.vector_searches import ALL, MODEL, TENANT, filled, searched, words

from ricordo.index.port import IndexUnavailable
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.qdrant.edge_requests import config

# Writes points one after the other, flushes often, prints each that is acknowledged, and waits to be killed.
_WRITER = """
import asyncio, sys
from pathlib import Path
from ricordo.index.qdrant import edge
from ricordo.index.qdrant.edge import EdgeVectorIndex
from tests.support.factories import DIMENSIONS, point
from tests.support.vector_searches import MODEL, TENANT

edge._FLUSH_EVERY = 32

async def write():
    index = EdgeVectorIndex(Path(sys.argv[1]))
    await index.prepare(MODEL, DIMENSIONS)
    n = 0
    while True:
        await index.upsert(TENANT, MODEL, [point(f"p-{n}", text="word"), point(f"q-{n}", text="word")])
        if n % 3 == 0:
            await index.delete(TENANT, MODEL, [point(f"q-{n}").id])
        print(n, flush=True)
        n += 1

asyncio.run(write())
"""


def _writer(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", _WRITER, str(folder)], stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("count", [7, 40, 90])
async def test_what_was_acknowledged_survives_a_kill_and_can_be_flushed(tmp_path: Path, count: int) -> None:
    with _writer(tmp_path) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(count)]
        writer.kill()
        acknowledged += [int(line) for line in writer.stdout.read().split()]
    index = EdgeVectorIndex(tmp_path)
    await index.prepare(MODEL, DIMENSIONS)
    found = {hit.id for hit in await searched(index, terms=words("word"), limit=10_000)}
    assert {point(f"p-{n}").id for n in acknowledged} <= found
    assert {point(f"q-{n}").id for n in acknowledged if n % 3} <= found
    assert found.isdisjoint(point(f"q-{n}").id for n in acknowledged if n % 3 == 0)
    for n in acknowledged[::30]:
        direction = point(f"p-{n}").window_vector
        [nearest] = await searched(index, vector=direction, limit=1)
        assert nearest.id == point(f"p-{n}").id
        assert nearest.dense_window == pytest.approx(1, abs=1e-3)
    await index.upsert(TENANT, MODEL, [point("after")])
    await eventually(lambda: index.unflushed == 0)
    assert (index.failed_flushes, index.rebuild_wanted.is_set()) == (0, False)
    await index.close()


async def test_a_shard_that_a_former_version_made_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "all-MiniLM-L6-v2"
    path.mkdir()
    edge.EdgeShard.create(str(path), config(DIMENSIONS, edge.VectorStorageDatatype.Float32)).close()
    index = EdgeVectorIndex(tmp_path)
    await index.prepare("all-MiniLM-L6-v2", DIMENSIONS)
    await index.upsert(TENANT, "all-MiniLM-L6-v2", [point("a", text="cat"), point("b", text="dog")])
    [hit] = await index.search(
        TENANT, "all-MiniLM-L6-v2", ALL, vector=point("b").window_vector, terms=words(""), limit=1
    )
    assert hit.id == point("b").id
    await index.close()


async def test_a_start_that_was_cut_off_is_begun_anew(tmp_path: Path) -> None:
    half = tmp_path / "all-MiniLM-L6-v2.partial" / "segments" / "half"
    half.mkdir(parents=True)
    (half / "garbage").write_bytes(b"\0\1")
    index = EdgeVectorIndex(tmp_path)
    await index.prepare("all-MiniLM-L6-v2", DIMENSIONS)
    await index.upsert(TENANT, "all-MiniLM-L6-v2", [point("a")])
    assert await index.count(TENANT, "all-MiniLM-L6-v2", ALL) == 1
    await index.close()


async def test_other_dimensions_and_a_folder_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    first = EdgeVectorIndex(tmp_path)
    await filled(first, point("a"))
    await first.close()
    second = EdgeVectorIndex(tmp_path)
    with pytest.raises(IndexUnavailable, match=r"expected vector size 4, but got 16.*a name of its own"):
        await second.prepare(MODEL, 4)
    await second.close()
    (tmp_path / "file").write_text("in the way")
    third = EdgeVectorIndex(tmp_path / "file")
    with pytest.raises(IndexUnavailable, match="the vector index failed"):
        await third.prepare(MODEL, DIMENSIONS)
    await third.close()


async def test_points_reach_the_disk_by_themselves_and_a_closed_index_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ricordo.index.qdrant.edge._FLUSH_AFTER_S", 0.05)
    index = EdgeVectorIndex(tmp_path)
    await filled(index, point("a"))
    await eventually(lambda: index.unflushed == 0)
    await index.close()
    with pytest.raises(IndexUnavailable):
        await index.count(TENANT, MODEL, ALL)
