import importlib.util
import json
import os
import subprocess
import sys

import pytest
from tests.unit.cli.conftest import Cli

from ricordo.settings import Settings
from ricordo_services import cli as command_line
from ricordo_services.app import passes
from ricordo_services.app.passes import PASSES
from ricordo_services.app.processes import WORKERS
from ricordo_services.cli.catalogue import ENTRIES
from ricordo_services.cli.up import EVERY_NAME
from ricordo_services.progress import ORDER, PassSummary

NAMES = [entry.name for entry in ENTRIES]
GROUPS = {
    "auth": ("server", "add-bot", "rotate", "remove"),
    "dlq": ("list", "show", "replay"),
    "lifecycle": ("run",),
    "forgotten": ("save", "apply"),
}


def test_the_help_lists_every_command_with_its_whole_summary(cli: Cli) -> None:
    ended = cli("--help")
    assert ended.code == 0
    flat = " ".join(ended.out.split())
    for entry in ENTRIES:
        assert f" {entry.name} {entry.summary.split('.')[0]}" in flat


def test_each_pass_is_there_and_the_help_names_it(cli: Cli) -> None:
    assert tuple(PASSES) == ORDER
    assert f"{', '.join(PASSES)}, or all of these" in " ".join(cli("lifecycle", "run", "--help").out.split())


def test_an_unknown_pass_or_moment_is_misuse(cli: Cli) -> None:
    for words in (("decoy",), ("decay", "--now", "yesterday"), ("decay", "--now", "2026-01-01T00:00:00")):
        ended = cli("lifecycle", "run", *words)
        assert (ended.code, ended.out) == (2, "")
        assert len(ended.err.splitlines()) == 1
    assert "decay, " in cli("lifecycle", "run", "decoy").err


@pytest.mark.parametrize(("failed", "code", "said"), [(0, 0, ""), (2, 1, "  failed 2")])
def test_a_pass_that_left_something_out_says_so(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, failed: int, code: int, said: str
) -> None:
    """At a terminal, and by its exit code; the JSON line keeps its fields."""

    async def made(_settings: Settings, name: str, **_: object) -> PassSummary:
        return PassSummary(name, examined=3, failed=failed)

    monkeypatch.setattr(passes, "run_pass", made)
    monkeypatch.setenv("RICORDO_NATS_URL", "nats://127.0.0.1:1")
    monkeypatch.setenv("RICORDO_STORES__POSTGRES_DSN", "postgresql://127.0.0.1:1/nobody")
    counts = "pass decay  examined 3  changed 0  archived 0  created 0  seconds 0.00"
    ended = cli("lifecycle", "run", "decay")
    assert (ended.code, ended.out) == (code, f"{counts}{said}\n")
    ended = cli("lifecycle", "run", "decay", "--json")
    assert ended.code == code
    assert tuple(json.loads(ended.out)) == ("pass", "examined", "changed", "archived", "created", "seconds")


@pytest.mark.parametrize("words", [("--help",), ("embedding", "-h")])
def test_the_benchmarks_show_their_options(cli: Cli, words: tuple[str, ...]) -> None:
    shown = cli("bench", *words).out
    for option in ("--json", "--texts FILE", "--messages", "--memories", "--questions", "--runs"):
        assert option in shown
    assert "embedding" in shown


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(cli: Cli, name: str) -> None:
    ended = cli(name, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"ricordo {name}" in ended.out


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, names in GROUPS.items() for name in names]
)
def test_every_command_of_a_group_explains_itself(cli: Cli, group: str, name: str) -> None:
    assert name in cli(group, "--help").out
    assert cli(group, name, "--help").code == 0


def test_the_examples_of_a_command_stand_on_lines_of_their_own(cli: Cli) -> None:
    assert "\n    ricordo publish chat.jsonl --wait\n" in cli("publish", "--help").out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("recall", "Filters nothing: memories come from all of them."),
        ("context", "Memories and facts come from all of them."),
        ("history", "This conversation only."),
    ],
)
def test_the_help_says_what_a_conversation_is_good_for(cli: Cli, command: str, said: str) -> None:
    assert said in " ".join(cli(command, "--help").out.split())


def test_the_version_is_that_of_the_package(cli: Cli) -> None:
    ended = cli("--version")
    assert (ended.code, ended.out) == (0, f"ricordo {importlib.metadata.version('ricordo')}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("recal",),
        ("recall",),
        ("recall", "what?"),
        ("status",),
        ("worker",),
        ("up", "--workers", " , "),
        ("up", "--workers", "ingest,nobody"),
        ("up", "--workers", "ingest,ingest"),
        ("--nope",),
    ],
)
def test_what_cannot_be_meant_is_a_matter_of_usage(cli: Cli, arguments: tuple[str, ...]) -> None:
    ended = cli(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("encode", "encode"), "name each worker once: encode is named more often"),
        (("embedding", "ingest", "index"), "embedding is encode and index already, not index again"),
        (("ingest", "painting"), "there is no worker painting: choose from ingest, "),
    ],
)
def test_workers_are_looked_at_before_their_servers(cli: Cli, names: tuple[str, ...], said: str) -> None:
    ended = cli("worker", *names)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_colours_may_be_refused_behind_every_command(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    inner = GROUPS.get(name, ())[:1]
    assert cli(name, *inner, "--no-color", "--help").code == 0
    assert cli(name, "--no-color", *inner, "--help").code == 0


def test_colours_are_refused_wherever_it_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (("--no-color", "analyze", "Ciao"), ("analyze", "Ciao", "--no-color")):
        monkeypatch.setenv("NO_COLOR", "")
        assert cli(*words).code == 0
        assert os.environ["NO_COLOR"] == "1"


def test_migrating_takes_the_owner_of_the_schema(cli: Cli) -> None:
    ended = cli("migrate")
    assert (ended.code, ended.out) == (1, "")
    assert "RICORDO_STORES__POSTGRES_ADMIN_DSN" in ended.err


def test_the_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom ricordo_services.cli.app import run\nrun(['--help'])\n"
        "print(sorted({'asyncio', 'nats', 'numpy', 'pydantic', 'rich', 'structlog'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_every_worker_can_be_named() -> None:
    assert set(EVERY_NAME) == set(WORKERS)


def test_a_base_install_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "typer" else object())
    with pytest.raises(SystemExit) as end:
        command_line.main()
    assert end.value.code == 1
    assert "pip install 'ricordo[local]'" in capsys.readouterr().err
