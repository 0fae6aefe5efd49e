"""The list of what was forgotten, as a file that people may damage."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ricordo.store.schema import Tombstone
from ricordo_services.cli.backup_commands import read_list, write_list
from ricordo_services.cli.failures import Failed

STONE = Tombstone("acme", "user", "u-1", "u-1", datetime(2026, 1, 1, 10, tzinfo=UTC))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(line=st.binary(max_size=200), place=st.integers(0, 200))
def test_whatever_is_no_such_line_is_refused_by_its_number(tmp_path: Path, line: bytes, place: int) -> None:
    write_list(tmp_path / "list", [STONE])
    good = (tmp_path / "list").read_bytes()
    for bad in (line, good[:place] + line + good[place + len(line) :]):
        (tmp_path / "list").write_bytes(good + bad)
        try:
            assert STONE in read_list(tmp_path / "list")
        except Failed as error:
            assert "line " in str(error)  # noqa: PT017 - either is right


@pytest.mark.parametrize(
    "wrong",
    [
        {"tenant": "Not A Tenant"},
        {"scope": "everything"},
        {"requested_at": "2026-01-01T10:00:00"},
        {"requested_at": None},
        {"key": ""},
    ],
)
def test_what_no_database_would_hold_is_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    write_list(tmp_path / "list", [STONE])
    line = (tmp_path / "list").read_text()
    (tmp_path / "list").write_text(line + json.dumps(json.loads(line) | wrong))
    with pytest.raises(Failed, match="line 2 "):
        read_list(tmp_path / "list")
