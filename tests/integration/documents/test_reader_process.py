"""Documents are read in a process of their own, which is ended where it takes too much."""

import asyncio

import psutil
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.papers import bomb, pdf

from ricordo.documents.readers import reader_process
from ricordo.documents.readers.reader_process import ReaderProcess
from ricordo.documents.reading_limits import ReadingLimits, Unreadable

pytestmark = pytest.mark.slow


def _readers() -> set[int]:
    """Return the numbers of the processes that read; a stack of this process has others come and go."""
    return {child.pid for child in psutil.Process().children() if _reads(child)}


def _reads(child: psutil.Process) -> bool:
    try:
        return reader_process._CHILD in child.cmdline()
    except psutil.ZombieProcess:
        return True  # it has ended, and nobody waited for it: what it was cannot be told
    except psutil.NoSuchProcess:
        return False


async def test_a_document_is_read() -> None:
    parts = await ReaderProcess().read("r.pdf", "application/pdf", pdf("Perché no?", "The end"))
    assert [(part.page, part.text.strip()) for part in parts] == [(1, "Perché no?"), (2, "The end")]


async def test_a_large_one_goes_through() -> None:
    text = "A line of a long transcript.\n" * 60_000
    (part,) = await ReaderProcess().read("long.txt", "text/plain", text.encode())
    assert part.text == text


async def test_why_one_cannot_be_read_comes_through() -> None:
    with pytest.raises(Unreadable, match="cannot be read: what can is plain text"):
        await ReaderProcess().read("a.zip", "application/zip", b"PK")


async def test_one_that_takes_too_long_is_given_up() -> None:
    before = _readers()
    with pytest.raises(Unreadable, match=r"takes longer to read than 0\.01 seconds"):
        await ReaderProcess(ReadingLimits(seconds=0.01)).read("a.pdf", "application/pdf", pdf("words"))
    assert not _readers() - before, "the process is gone"


async def test_one_that_takes_too_much_memory_is_given_up() -> None:
    """And costs this process nothing."""
    reader = ReaderProcess(ReadingLimits(memory_mb=150))
    with pytest.raises(Unreadable, match=r"memory|crashes"):
        await reader.read("a.txt", "text/plain", b"a b " * 20_000_000)


async def test_a_bomb_does_no_harm() -> None:
    with pytest.raises(Unreadable):
        await ReaderProcess().read("bomb.pdf", "application/pdf", bomb(150))


async def test_whoever_gives_up_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor has that process a secret of the worker's, as it reads what strangers wrote."""
    monkeypatch.setenv("RICORDO_STORES__POSTGRES_DSN", "postgresql://u:secret@h/d")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    before = _readers()
    reading = asyncio.create_task(ReaderProcess().read("a.txt", "text/plain", b"words " * 1_000_000))
    await eventually(lambda: bool(_readers() - before))
    for pid in _readers() - before:
        assert "secret" not in str(psutil.Process(pid).environ())
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not _readers() - before
