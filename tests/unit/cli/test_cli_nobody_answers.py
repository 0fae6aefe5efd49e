"""No server, or an address that is none: every command ends soon, and says what to do."""

import json
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

ASKING = table(__file__, "asking")
PATIENCE_S = 10


@pytest.fixture
def dead() -> Iterator[str]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"nats://bot:s3cret@127.0.0.1:{held.getsockname()[1]}"


@pytest.mark.parametrize(
    ("command", "address"),
    [
        *((command, "foo") for command in ASKING),
        *((ASKING[1], one) for one in ("nats://", "nats://127.0.0.1:70000", "http://127.0.0.1", "")),
    ],
)
def test_what_is_no_address_is_a_matter_of_usage(cli: Cli, command: tuple[str, ...], address: str) -> None:
    result = cli(*command, "--nats", address)
    assert (result.code, result.out) == (2, "")
    assert len(result.err.splitlines()) == 1
    assert "--nats: " in result.err
    assert "is not an address of NATS" in result.err


def test_a_server_that_does_not_answer_is_waited_for_some_time(
    cli: Cli, dead: str, impatience: float
) -> None:
    began = time.monotonic()
    result = cli("dlq", "list", "--nats", dead)
    assert impatience <= time.monotonic() - began < impatience + PATIENCE_S
    assert result.code == 1
    assert len(result.err.splitlines()) == 1
    assert "no NATS server answers at nats://127.0.0.1" in result.err
    assert "s3cret" not in result.err


@pytest.mark.usefixtures("impatience")
def test_the_doctor_says_that_nobody_answers_and_what_to_do(cli: Cli, dead: str) -> None:
    result = cli("doctor", "--json", "--nats", dead)
    report = json.loads(result.out)
    assert (result.code, report["ok"]) == (1, False)
    bus = report["findings"][0]
    assert (bus["name"], bus["state"]) == ("nats", "missing")
    assert "no NATS server answers" in bus["detail"]
    assert "--nats" in bus["advice"]
    assert "ricordo up" in bus["advice"]
    assert "s3cret" not in result.out


@pytest.mark.parametrize("command", [*ASKING[1:], ("backfill", "--dry-run")], ids=lambda words: words[0])
def test_without_servers_it_says_what_to_start(cli: Cli, command: tuple[str, ...]) -> None:
    result = cli(*command)
    assert (result.code, result.out) == (1, "")
    assert len(result.err.splitlines()) == 1
    assert "`ricordo up`" in result.err


@pytest.mark.parametrize(
    "words",
    table(__file__, "the_data_folder_may_stand_anywhere"),
    ids=" ".join,
)
def test_the_data_folder_may_stand_anywhere(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    folder = tmp_path / "elsewhere"
    result = cli(*(word.format(folder) for word in words))
    assert result.code == 1
    assert f"no stack runs on {folder}: start one with `ricordo up --data-dir {folder}`" in result.err


def test_the_command_is_named_as_it_can_be_typed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "bin" / "ricordo"
    script.parent.mkdir()
    script.touch(mode=0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bin/ricordo"])
    for path, expected in ((script.parent, "`ricordo up`"), ("/usr/bin", "`bin/ricordo up`")):
        monkeypatch.setenv("PATH", str(path))
        assert f"start one with {expected}" in cli("stats", "--user", "u").err
