"""`ricordo export` and `ricordo forget` before anybody has to answer: what they refuse, and what they say."""

from pathlib import Path

import pytest
from tests.unit.cli.conftest import Cli

from ricordo_services.cli.forget import UNDER_WAY
from ricordo_services.knowledge.erasing import BeingErased


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--user, or --tenant-wide"),
        (("--message", "m-1"), "--user, or --tenant-wide"),
        (("--user", "u", "--message", "m", "--conversation", "c"), "exclude each other"),
        (("--user", "u", "--tenant-wide"), "--tenant-wide goes with no"),
        (("--tenant-wide", "--message", "m"), "--tenant-wide goes with no"),
        (("--user", "u"), "say --yes"),
        (("--tenant-wide",), "say --yes"),
    ],
)
def test_what_cannot_be_meant_is_misuse(cli: Cli, words: tuple[str, ...], said: str) -> None:
    """Where nobody can be asked, too; nothing is connected to."""
    ended = cli("forget", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_an_erasure_under_way_is_known_by_its_words() -> None:
    assert f"{BeingErased.server} {BeingErased.state}" == UNDER_WAY


def test_a_file_that_cannot_be_made_is_refused_before_anybody_is_asked(cli: Cli, tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("mine")
    for path, said in (
        (there, "--force"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "file", "there is no folder"),
    ):
        ended = cli("export", "--user", "u", str(path))
        assert (ended.code, ended.out) == (1, "")
        assert said in ended.err
    assert there.read_text() == "mine"


@pytest.mark.parametrize("words", [("export", "--user", "u"), ("forget", "--user", "u", "--yes")])
def test_without_servers_it_says_what_to_start(cli: Cli, words: tuple[str, ...]) -> None:
    ended = cli(*words)
    assert (ended.code, ended.out) == (1, "")
    assert "`ricordo up`" in ended.err
