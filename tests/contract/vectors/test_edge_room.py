"""The engine in this process never comes to a full volume, which would end the process."""

import asyncio
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest
from tests.fixtures.volume import fill, small_volume
from tests.support.factories import DIMENSIONS, point
from tests.support.vector_searches import ALL, MODEL, TENANT, filled, searched, words

from ricordo.index.port import IndexUnavailable
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.qdrant.edge_folder import FreeSpace

VOLUME_MB, LEAST_MB = 200, 40

# Writes until it is refused, says so, and goes on when the ballast is gone, in the same process.
_WRITER = """
import asyncio, sys
from pathlib import Path
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.port import IndexUnavailable
from tests.support.factories import DIMENSIONS, point
from tests.support.vector_searches import ALL, MODEL, TENANT

async def write():
    index = EdgeVectorIndex(Path(sys.argv[1]) / "index", least_free_mb=int(sys.argv[2]))
    await index.prepare(MODEL, DIMENSIONS)
    print("open", flush=True)
    sys.stdin.readline()
    written = 0
    async def until_refused(most):
        nonlocal written
        while written < most:
            text = " ".join(f"word{written}of{n}" for n in range(100))
            try:
                await index.upsert(TENANT, MODEL, [point(f"p-{written}", text=text)])
            except IndexUnavailable as error:
                return str(error)
            written += 1
        return "never refused"
    print(await until_refused(100_000), flush=True)
    print(await index.count(TENANT, MODEL, ALL) == written, flush=True)
    sys.stdin.readline()
    print(await until_refused(written + 20), flush=True)
    await index.close()
    print(written, flush=True)

asyncio.run(write())
"""


@pytest.mark.slow
def test_writing_stops_before_the_volume_is_full_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with small_volume(tmp_path / "volume", VOLUME_MB) as volume:
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(volume), str(LEAST_MB)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdin is not None
            assert writer.stdout.readline() == "open\n"
            ballast = fill(volume, LEAST_MB // 2 + 3)
            writer.stdin.write("\n")
            refusal = writer.stdout.readline()
            assert f"low disk space: 20 MB are free on the volume of {volume}/index" in refusal
            assert writer.stdout.readline() == "True\n"
            ballast.unlink()
            writer.stdin.write("\n")
            assert writer.stdout.readline() == "never refused\n"
            written = int(writer.stdout.readline())
        assert writer.returncode == 0
        # Elsewhere, as a volume in memory gives room even to the holes that are read when it is opened.
        subprocess.run(["cp", "-r", "--sparse=always", volume / "index", tmp_path], check=True)
        assert asyncio.run(_counted(tmp_path / "index")) == written


# Writes, has somebody else take all the room, searches, waits until a flush was tried, and closes.
_READER = """
import asyncio, sys
from pathlib import Path
from ricordo.index.qdrant.edge import EdgeVectorIndex
from tests.support.factories import point
from tests.support.vector_searches import MODEL, TENANT, filled, searched, words
from structlog.testing import capture_logs
from tests.fixtures.volume import fill

async def read():
    volume = Path(sys.argv[1])
    index = EdgeVectorIndex(volume / "index", least_free_mb=int(sys.argv[2]))
    await filled(index, *(point(f"p-{n}", text=f"boat number {n}") for n in range(500)))
    with capture_logs() as lines:
        fill(volume, 0)
        print(len(await searched(index, terms=words("boat"), limit=50)), flush=True)
        while not lines:
            await asyncio.sleep(0.05)
        await index.close()
    print(*(line["event"] for line in lines), sep=",", flush=True)

asyncio.run(read())
"""


@pytest.mark.slow
def test_a_volume_that_others_have_filled_is_still_read_and_nothing_is_lost(tmp_path: Path) -> None:
    with small_volume(tmp_path / "volume", VOLUME_MB) as volume:
        done = subprocess.run(
            [sys.executable, "-c", _READER, str(volume), str(LEAST_MB)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[3],
        )
        found, told = done.stdout.splitlines()
        assert int(found) >= 50
        assert told == ",".join(["the vector index could not be flushed"] * 2)
        (volume / "ballast").unlink()
        subprocess.run(["cp", "-r", "--sparse=always", volume / "index", tmp_path], check=True)
        assert asyncio.run(_counted(tmp_path / "index")) == 500


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


def test_no_more_is_taken_on_where_what_was_taken_on_can_only_just_be_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = FreeSpace(tmp_path, 100)
    free(monkeypatch, 75)
    room.require_to_finish()
    with pytest.raises(IndexUnavailable, match="75 MB"):
        room.require()
    free(monkeypatch, 100)
    room.require()
