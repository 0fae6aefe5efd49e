"""Cursors of an export come from outside: whatever is no cursor is refused."""

from base64 import b64encode

import pytest

from ricordo.runtime.handling import RequestError
from ricordo_services.ingest.export_pages import ExportPosition


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        b64encode(b"null").decode(),
        b64encode(b"[" * 3_000).decode(),
        b64encode(b"[[], [], 0, 0]").decode(),
        b64encode(b'["messages", [1], 0, ""]').decode(),
        b64encode(b'["messages", [], -1, ""]').decode(),
        b64encode(b'["tombstones", [], 0, ""]').decode(),
    ],
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(RequestError) as raised:
        ExportPosition.read(cursor)
    assert raised.value.body.error.field == "cursor"
