"""A burst on the live lane, and cursors of an export, which come from outside."""

import asyncio
from base64 import b64encode

import pytest

from ricordo.runtime.handling import RequestError
from ricordo_services.ingest.export_pages import ExportPosition
from ricordo_services.ingest.ingest_handler import LiveLane


async def test_each_user_has_a_burst_that_comes_back_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lane, loop = LiveLane(3), asyncio.get_running_loop()
    assert [await lane.admits("acme", "u-1") for _ in range(5)] == [True] * 3 + [False] * 2
    assert await lane.admits("acme", "u-2")
    assert await lane.admits("other", "u-1")
    began = loop.time()
    monkeypatch.setattr(loop, "time", lambda: began + 20.0)  # the clock that aiolimiter reads
    assert [await lane.admits("acme", "u-1") for _ in range(2)] == [True, False]


NO_POSITIONS = (
    *("null", "[" * 3_000, "[[], [], 0, 0]", '["messages", [1], 0, ""]'),
    *('["messages", [], -1, ""]', '["tombstones", [], 0, ""]'),
)


@pytest.mark.parametrize("cursor", ["x", *(b64encode(one.encode()).decode() for one in NO_POSITIONS)])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(RequestError) as raised:
        ExportPosition.read(cursor)
    assert raised.value.body.error.field == "cursor"
