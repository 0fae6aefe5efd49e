"""The engine in this process: a second opener harms nobody, and a damaged shard is mended or replaced."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict
from tests.fixtures.eventually import eventually
from tests.support.factories import DIMENSIONS, point
from tests.support.vector_searches import MODEL, TENANT, filled, searched, words

from ricordo.index.port import IndexUnavailable, Point
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.index.qdrant.edge_shard import Shard

POINTS = 60
WHOLE = "model-a-*[0-9a-f]"
JOURNAL = "vector_storage-text_terms/store/tracker_journal.dat"
LOADED_WITHOUT_A_WORD = ("mutable_id_tracker.mappings",)
REFUSED = ("segment.json",)
PANICKED_AT = ("vector_storage-text/vectors/status.dat",)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ricordo.index.qdrant.edge._FLUSH_AFTER_S", 0.01)
    monkeypatch.setattr("ricordo.index.qdrant.edge._FLUSH_AGAIN_S", 0.02)


def boats(prefix: str) -> list[Point]:
    """Return points that are all found by one word."""
    return [point(f"{prefix}-{n}", text=f"boat {n}") for n in range(POINTS)]


async def opened(folder: Path) -> EdgeVectorIndex:
    index = EdgeVectorIndex(folder)
    await index.prepare(MODEL, DIMENSIONS)
    return index


async def made(folder: Path, prefix: str = "a") -> EdgeVectorIndex:
    """Return an open index with points that are flushed."""
    index = EdgeVectorIndex(folder)
    await filled(index, *boats(prefix))
    await eventually(lambda: index.unflushed == 0)
    return index


async def made_and_closed(folder: Path) -> None:
    """Leave an index with points in `folder`."""
    await (await made(folder)).close()


async def found(index: EdgeVectorIndex) -> int:
    return len(await searched(index, terms=words("boat"), limit=10_000))


def emptied(folder: Path, name: str) -> Path:
    [file] = folder.glob(f"model-a-*/segments/*/{name}")
    os.truncate(file, 0)
    return file


async def test_a_second_opener_is_refused_before_it_harms_the_first(tmp_path: Path) -> None:
    first, second = await made(tmp_path), EdgeVectorIndex(tmp_path)
    with pytest.raises(IndexUnavailable, match="another process has the vector index"):
        await second.prepare(MODEL, DIMENSIONS)
    await second.close()
    await first.upsert(TENANT, MODEL, boats("b"))
    await eventually(lambda: first.unflushed == 0)
    assert (first.failures.flushes, first.problem) == (0, "")
    await first.close()
    third = await opened(tmp_path)
    assert await found(third) == 2 * POINTS
    await third.close()


async def test_a_file_that_is_truncated_while_open_costs_one_flush_and_nothing_else(tmp_path: Path) -> None:
    index = await made(tmp_path)
    emptied(tmp_path, JOURNAL)
    with capture_logs() as lines:
        await index.upsert(TENANT, MODEL, boats("b"))
        await eventually(lambda: index.unflushed == 0)
    assert _of_the_index(lines) == [
        "the vector index could not be flushed",
        "vector index opened again and flushed",
    ]
    assert (index.failures.flushes, index.problem, index.rebuild_wanted.is_set()) == (1, "", False)
    assert await found(index) == 2 * POINTS
    await index.close()
    again = await opened(tmp_path)
    assert await found(again) == 2 * POINTS
    await again.close()


async def test_a_shard_that_cannot_be_flushed_after_opening_it_again_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await made(tmp_path)
    monkeypatch.setattr(Shard, "flush", damaged_for_good(tmp_path))
    await index.upsert(TENANT, MODEL, boats("b"))
    await eventually(index.rebuild_wanted.is_set)
    assert index.failures.flushes == 2
    assert "is being rebuilt from PostgreSQL" in index.problem
    assert await found(index) == 0
    await index.upsert(TENANT, MODEL, boats("c"))
    await index.close()
    again = await opened(tmp_path)
    assert again.rebuild_wanted.is_set()
    assert await found(again) == POINTS
    assert await again.rebuilt(again.replaced)
    assert again.problem == ""
    assert [one for one in tmp_path.iterdir() if one.is_dir()] == list(tmp_path.glob(WHOLE))
    await again.close()
    assert not (await opened_and_closed(tmp_path)).rebuild_wanted.is_set()


def damaged_for_good(folder: Path) -> Callable[[Shard], None]:
    """Return a flush that fails as long as the shard that is there now has not been replaced."""
    really, damaged = Shard.flush, next(folder.glob(WHOLE)).stat().st_ino

    def flush(shard: Shard) -> None:
        if next(folder.glob(WHOLE)).stat().st_ino == damaged:
            raise RuntimeError("Tracker journal is shorter than expected")
        really(shard)

    return flush


async def opened_and_closed(folder: Path) -> EdgeVectorIndex:
    """Return an index that was open."""
    index = await opened(folder)
    await index.close()
    return index


async def test_a_journal_that_is_empty_at_the_opening_costs_nothing(tmp_path: Path) -> None:
    await made_and_closed(tmp_path)
    emptied(tmp_path, JOURNAL)
    index = await opened(tmp_path)
    assert await found(index) == POINTS
    await index.upsert(TENANT, MODEL, boats("b"))
    await eventually(lambda: index.unflushed == 0)
    assert (index.failures.flushes, index.rebuild_wanted.is_set()) == (0, False)
    await index.close()


@pytest.mark.parametrize("name", [*LOADED_WITHOUT_A_WORD, *REFUSED, *PANICKED_AT])
async def test_a_file_that_is_empty_at_the_opening_has_the_shard_replaced(tmp_path: Path, name: str) -> None:
    await made_and_closed(tmp_path)
    emptied(tmp_path, name)
    with capture_logs() as lines:
        index = await opened(tmp_path)
    assert _of_the_index(lines) == [
        "vector index damaged and set aside: its points are written again from PostgreSQL"
    ]
    assert index.rebuild_wanted.is_set()
    assert await found(index) == 0
    await index.upsert(TENANT, MODEL, boats("a"))
    assert await found(index) == POINTS
    await index.close()


def _of_the_index(lines: list[EventDict]) -> list[str]:
    """Return what the index said: others may be at work in this process, and log beside it."""
    return [line["event"] for line in lines if "vector index" in line["event"]]


async def test_an_index_without_points_is_whole(tmp_path: Path) -> None:
    await opened_and_closed(tmp_path)
    assert not (await opened_and_closed(tmp_path)).rebuild_wanted.is_set()


async def test_an_error_of_the_machine_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, really = await made(tmp_path), Shard.flush

    def flush(_: Shard) -> None:
        raise RuntimeError("IO Error: No space left on device (os error 28)")

    monkeypatch.setattr(Shard, "flush", flush)
    await index.upsert(TENANT, MODEL, boats("b"))
    await eventually(lambda: index.failures.flushes >= 4)
    assert "could not be flushed (IO Error: No space left on device" in index.problem
    assert not index.rebuild_wanted.is_set()
    assert await found(index) == 2 * POINTS
    monkeypatch.setattr(Shard, "flush", really)
    await eventually(lambda: index.unflushed == 0)  # by itself, though nothing more is written
    assert index.problem == ""
    await index.close()


async def test_what_is_replaced_during_a_rebuild_asks_for_another(tmp_path: Path) -> None:
    await made_and_closed(tmp_path)
    emptied(tmp_path, "segment.json")
    index = await opened(tmp_path)
    before = index.replaced - 1
    assert not await index.rebuilt(before)
    assert index.rebuild_wanted.is_set()
    await index.close()
