"""`ricordo up` on a volume that is too small for what the streams may take: it says what to do."""

from pathlib import Path

import pytest
from tests.e2e.cli.ricordo_command import Ricordo, up

pytestmark = pytest.mark.e2e

BYTES = "RICORDO_BUS__INPUT_BYTES"
"""One petabyte finds no room anywhere."""


def test_it_says_how_much_is_needed_where_and_which_settings_make_it_less(tmp_path: Path) -> None:
    large = Ricordo(tmp_path, {BYTES: str(10**15)})
    folder = large.data_dir / "nats"
    said = large.process("up", code=1)
    assert "NATS has no room for stream RICORDO_IN" in said
    assert "RICORDO_IN 1,000,000,000 MB, RICORDO 4,295 MB, RICORDO_DLQ 1,074 MB" in said
    assert f"{BYTES}, RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES make them smaller" in said
    assert f"its folder is {folder}, on a volume where" in said
    assert "unexpected" not in said
    finding = {one["name"]: one for one in large.json("doctor", code=1)["findings"]}["room"]
    assert finding["state"] == "missing"
    assert f"its folder is {folder}" in finding["detail"]
    assert BYTES in finding["advice"]

    small = Ricordo(tmp_path, {BYTES: str(10**8)})
    with up(small):
        assert "room" not in {one["name"] for one in small.json("doctor")["findings"]}
