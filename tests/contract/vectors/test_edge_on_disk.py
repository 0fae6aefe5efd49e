"""The engine in this process keeps on disk what it acknowledged, and never comes to a full volume."""

import asyncio
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest
import qdrant_edge as edge
from tests.fixtures.eventually import eventually
from tests.fixtures.volume import small_volume
from tests.support.factories import DIMENSIONS, point
from tests.support.vector_searches import ALL, MODEL, TENANT, filled, searched, words

from ricordo.index.port import IndexUnavailable
from ricordo.index.qdrant.conditions import TEXT, WINDOW
from ricordo.index.qdrant.edge import EdgeVectorIndex

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
    assert (index.failures.flushes, index.rebuild_wanted.is_set()) == (0, False)
    await index.close()


async def test_a_shard_that_a_former_version_made_is_built_anew(tmp_path: Path) -> None:
    path = tmp_path / "all-MiniLM-L6-v2"
    path.mkdir()
    dense = edge.EdgeVectorParams(
        size=DIMENSIONS, distance=edge.Distance.Cosine, datatype=edge.VectorStorageDatatype.Float32
    )
    edge.EdgeShard.create(str(path), edge.EdgeConfig(vectors={TEXT: dense, WINDOW: dense})).close()
    index = EdgeVectorIndex(tmp_path)
    await index.prepare("all-MiniLM-L6-v2", DIMENSIONS)
    assert (index.replaced, index.rebuild_wanted.is_set()) == (1, True)
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


VOLUME_MB, LEAST_MB = 200, 40

# Writes until it is refused, says so, and goes on when the ballast is gone; then has somebody else take all
# the room, searches, waits until a flush was tried, and closes.
_FILLER = """
import asyncio, sys
from pathlib import Path
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.port import IndexUnavailable
from structlog.testing import capture_logs
from tests.fixtures.volume import fill
from tests.support.factories import DIMENSIONS, point
from tests.support.vector_searches import ALL, MODEL, TENANT, searched, words

async def write():
    volume = Path(sys.argv[1])
    index = EdgeVectorIndex(volume / "index", least_free_mb=int(sys.argv[2]))
    await index.prepare(MODEL, DIMENSIONS)
    written = 0
    async def until_refused(most):
        nonlocal written
        while written < most:
            text = " ".join(f"word{written}of{n}" for n in range(100))
            try:
                await index.upsert(TENANT, MODEL, [point(f"p-{written}", text=f"boat {text}")])
            except IndexUnavailable as error:
                return str(error)
            written += 1
        return "never refused"
    ballast = fill(volume, int(sys.argv[2]) // 2 + 3)
    print(await until_refused(100_000))
    print(await index.count(TENANT, MODEL, ALL) == written)
    ballast.unlink()
    print(await until_refused(written + 200))
    with capture_logs() as lines:
        fill(volume, 0)
        print(len(await searched(index, terms=words("boat"), limit=50)))
        while not lines:
            await asyncio.sleep(0.05)
        await index.close()
    print(*(line["event"] for line in lines), sep=",")
    print(written)

asyncio.run(write())
"""


@pytest.mark.slow
def test_writing_stops_before_the_volume_is_full_and_what_others_have_filled_is_still_read(
    tmp_path: Path,
) -> None:
    with small_volume(tmp_path / "volume", VOLUME_MB) as volume:
        done = subprocess.run(
            [sys.executable, "-c", _FILLER, str(volume), str(LEAST_MB)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[3],
        )
        refusal, is_counted, after, found, told, written = done.stdout.splitlines()
        assert f"low disk space: 20 MB are free on the volume of {volume}/index" in refusal
        assert (is_counted, after) == ("True", "never refused")
        assert int(found) >= 50
        assert told == ",".join(["the vector index could not be flushed"] * 2)
        (volume / "ballast").unlink()
        # Elsewhere, as a volume in memory gives room even to the holes that are read when it is opened.
        subprocess.run(["cp", "-r", "--sparse=always", volume / "index", tmp_path], check=True)
        assert asyncio.run(_counted(tmp_path / "index")) == int(written)


async def _counted(folder: Path) -> int:
    index = EdgeVectorIndex(folder)
    await index.prepare(MODEL, DIMENSIONS)
    counted = await index.count(TENANT, MODEL, ALL)
    await index.close()
    return counted


usage = namedtuple("usage", "total used free")  # noqa: PYI024 - the shape of the real answer


def free(monkeypatch: pytest.MonkeyPatch, megabytes: float) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 0, int(megabytes * 1e6)))


async def test_what_is_there_is_searched_while_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = EdgeVectorIndex(tmp_path, least_free_mb=100)
    await filled(index, point("a", text="boat"))
    free(monkeypatch, 49.9)
    for change in (
        index.upsert(TENANT, MODEL, [point("b")]),
        index.refilter(TENANT, MODEL, [point("a").facets]),
        index.delete(TENANT, MODEL, [point("a").id]),
        index.prepare("another", DIMENSIONS),
    ):
        with pytest.raises(IndexUnavailable, match="50 MB are free on the volume"):
            await change
    assert [hit.id for hit in await searched(index, terms=words("boat"))] == [point("a").id]
    free(monkeypatch, 51)
    await index.upsert(TENANT, MODEL, [point("b")])
    assert await index.count(TENANT, MODEL, ALL) == 2
    await index.close()


async def test_a_start_needs_room_and_then_finds_what_there_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = EdgeVectorIndex(tmp_path, least_free_mb=100)
    await filled(before, point("a", text="boat"))
    await before.close()
    index = EdgeVectorIndex(tmp_path, least_free_mb=100)
    free(monkeypatch, 99)
    with pytest.raises(IndexUnavailable, match=f"99 MB are free on the volume of {tmp_path}"):
        await index.prepare(MODEL, DIMENSIONS)
    free(monkeypatch, 100)
    await index.prepare(MODEL, DIMENSIONS)
    assert [hit.id for hit in await searched(index, terms=words("boat"))] == [point("a").id]
    await index.close()
