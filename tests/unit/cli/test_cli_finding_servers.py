"""Which servers a command finds, and what it says where none answers."""

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fixtures.nats_server import NatsServerProcess
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

from ricordo_services.cli.client_calls import Call, default_data_dir
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.failures import Failed

DSN = "RICORDO_STORES__POSTGRES_DSN"
OURS, THEIRS = "postgresql://stack:2/ricordo", "postgresql://prod:2/ricordo"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for name in ("RICORDO_NATS_URL", DSN, "RICORDO_BUS__URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "ricordo"


def announce(folder: Path, url: object = "nats://stack:1", pid: object = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stores = {"postgres": OURS, "bolt": "bolt://stack:3"}
    stack = {"nats": url, "pid": os.getpid() if pid is None else pid, **stores}
    (folder / "stack.json").write_text(json.dumps(stack))


def test_the_option_comes_first_then_the_environment_then_the_stack(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(home)
    assert Call().target.url == "nats://stack:1"
    monkeypatch.setenv("RICORDO_NATS_URL", "nats://environment:1")
    assert Call().target.url == "nats://environment:1"
    assert Call(nats="nats://option:1").target.url == "nats://option:1"


def test_an_option_of_a_command_comes_before_the_same_of_the_program(cli: Cli) -> None:
    assert cli("--tenant", "No Tenant", "status", "m-1").code == 2
    assert "no stack runs" in cli("--tenant", "No Tenant", "status", "m-1", "--tenant", "acme").err
    assert "http://first" in cli("--nats", "http://first", "status", "m-1").err
    assert "http://second" in cli("--nats", "http://first", "status", "m-1", "--nats", "http://second").err
    assert cli("dlq", "--nats", "http://first", "list").code == 2


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"nats": 3}', '{"nats": null}'])
def test_a_stack_that_does_not_say_where_it_is_does_not_run(home: Path, text: str) -> None:
    home.mkdir()
    (home / "stack.json").write_text(text)
    with pytest.raises(Failed, match=r"no stack runs on .*ricordo up"):
        _ = Call().target


def beside(nats: str | None = None, folder: Path | None = None) -> tuple[str, str]:
    """Return where NATS and PostgreSQL are, for a command that speaks to both."""
    settings = stores_of_target(Call(nats=nats, data_dir=folder))
    assert settings.stores.postgres_dsn is not None
    return settings.bus.url, settings.stores.postgres_dsn.get_secret_value()


def test_stores_are_those_beside_the_servers_that_are_spoken_to(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(home, "nats://user:word@stack:1")
    stack = ("nats://user:word@stack:1", OURS)
    assert beside() == beside("nats://stack:1") == beside(folder=home) == stack
    monkeypatch.setenv(DSN, THEIRS)
    monkeypatch.setenv("RICORDO_BUS__URL", "nats://elsewhere:1")
    assert beside("nats://prod:1") == ("nats://prod:1", THEIRS)
    assert beside(folder=home) == stack, "a named folder is meant, whatever the settings say"
    monkeypatch.setenv("RICORDO_NATS_URL", "nats://prod:4")
    assert beside() == ("nats://prod:4", THEIRS)


def test_servers_that_are_named_apart_from_their_stores_are_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(home)
    for nats, folder in (("nats://prod:1", None), ("nats://prod:1", home)):
        with pytest.raises(Failed, match=r"--nats names NATS, and nothing names the stores beside it"):
            beside(nats, folder)
    monkeypatch.setenv(DSN, THEIRS)
    for named in (None, "nats://stack:1"):
        with pytest.raises(Failed, match="names other stores than those of"):
            beside(named)
    monkeypatch.delenv(DSN)
    monkeypatch.setenv("RICORDO_NATS_URL", "nats://prod:1")
    with pytest.raises(Failed, match="RICORDO_NATS_URL names NATS"):
        beside()


@pytest.mark.parametrize("words", [("forget", "--tenant-wide", "--yes"), ("import",)])
def test_commands_that_speak_to_both_look_for_both(tmp_path: Path, cli: Cli, words: tuple[str, ...]) -> None:
    announce(default_data_dir())
    file = tmp_path / "ada.jsonl"
    items: list[dict[str, object]] = [{"item": "entity"}, {"item": "end", "items": 1}]
    file.write_text("".join(json.dumps({**one, "user_id": "ada"}) + "\n" for one in items))
    named = (*words, str(file)) if words == ("import",) else words
    result = cli(*named, "--nats", "nats://127.0.0.1:1")
    assert (result.code, result.out) == (1, "")
    assert "nothing names the stores beside it" in result.err


@pytest.mark.usefixtures("impatience")
@pytest.mark.parametrize("before", [True, False], ids=["before the command", "after the command"])
def test_doctor_checks_the_stores_of_the_stack_only_with_the_nats_of_the_stack(
    cli: Cli, *, before: bool
) -> None:
    announce(default_data_dir(), "nats://user:word@127.0.0.1:1")
    for port, states in ((1, ["missing", "degraded"]), (2, ["noted", "noted"])):
        nats = ("--nats", f"nats://127.0.0.1:{port}")
        result = cli(*nats, "doctor", "--json") if before else cli("doctor", "--json", *nats)
        findings = {one["name"]: one["state"] for one in json.loads(result.out)["findings"]}
        assert [findings["postgres"], findings["graph"]] == states


@pytest.mark.usefixtures("impatience")
def test_doctor_says_once_how_to_start_all_that_lack(cli: Cli, tmp_path: Path) -> None:
    server = NatsServerProcess(tmp_path)
    asyncio.run(server.start())
    try:
        elsewhere = json.loads(cli("doctor", "--json", "--nats", server.url).out)["findings"]
        announce(default_data_dir(), server.url)
        here = json.loads(cli("doctor", "--json").out)["findings"]
    finally:
        server.stop()
    command = "`ricordo worker ingest encode enrichment index knowledge retrieval lifecycle"
    for findings, advice in (
        (elsewhere, f"start them: {command}`, with the settings of the servers"),
        (here, f"or start them beside it: {command} --data-dir {default_data_dir()}`"),
    ):
        lacking = [one for one in findings if one["name"].startswith("worker ")]
        assert [one["state"] for one in lacking] == ["missing"] * 6 + ["degraded"]
        (told,) = [one["advice"] for one in lacking if one["advice"]]
        assert told.endswith(advice)


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


@pytest.mark.parametrize("words", table(__file__, "the_data_folder_may_stand_anywhere"), ids=" ".join)
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
