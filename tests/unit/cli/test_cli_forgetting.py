"""`ricordo export` and `ricordo forget` without servers, and the list of tombstones."""

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

from ricordo.store.schema import Tombstone
from ricordo_services.cli.backup_commands import read_list, write_list
from ricordo_services.cli.failures import Failed


@pytest.mark.parametrize(("words", "said"), table(__file__, "what_cannot_be_meant_is_misuse"))
def test_what_cannot_be_meant_is_misuse(cli: Cli, words: tuple[str, ...], said: str) -> None:
    result = cli("forget", *words)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert len(result.err.splitlines()) == 1


def test_a_file_that_cannot_be_made_is_refused_before_anybody_is_asked(cli: Cli, tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("mine")
    for path, said in (
        (there, "--force"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "file", "there is no folder"),
    ):
        result = cli("export", "--user", "u", str(path))
        assert (result.code, result.out) == (1, "")
        assert said in result.err
    assert there.read_text() == "mine"


STONE = Tombstone("acme", "user", "u-1", "u-1", datetime(2026, 1, 1, 10, tzinfo=UTC))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    stones = [STONE, Tombstone("default", "erased", 'ü"\n', "m-1", datetime(2026, 1, 1, tzinfo=UTC))]
    write_list(tmp_path / "list", stones)
    assert read_list(tmp_path / "list") == stones
    assert stat.S_IMODE((tmp_path / "list").stat().st_mode) == 0o600


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
