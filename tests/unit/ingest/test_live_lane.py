"""A user has a burst on the live lane; what exceeds it goes to the bulk lane."""

import asyncio

import pytest

from ricordo_services.ingest.ingest_handler import LiveLane


async def test_each_user_has_a_burst_that_comes_back_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lane, loop = LiveLane(3), asyncio.get_running_loop()
    assert [await lane.admits("acme", "u-1") for _ in range(5)] == [True] * 3 + [False] * 2
    assert await lane.admits("acme", "u-2")
    assert await lane.admits("other", "u-1")
    began = loop.time()
    monkeypatch.setattr(loop, "time", lambda: began + 20.0)  # the clock that aiolimiter reads
    assert [await lane.admits("acme", "u-1") for _ in range(2)] == [True, False]
