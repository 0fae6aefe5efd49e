"""Commands, their help and their usage errors."""

import importlib.util
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from pydantic import BaseModel
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

from ricordo.messages.filters import Filters
from ricordo.messages.queries import ContextRequest, FactsRequest, HistoryRequest, RecallRequest
from ricordo.settings import Settings
from ricordo_lab import lab_names
from ricordo_lab.bench import bench_command as bench
from ricordo_lab.evaluation import evaluation_command as evaluation
from ricordo_services import cli as command_line
from ricordo_services.app import passes
from ricordo_services.cli import application, offline_commands, query_commands
from ricordo_services.cli.application import ENTRIES
from ricordo_services.cli.offline_results import CheckedMessageInput, MessageInput, QueryInput
from ricordo_services.job_progress import PassSummary

NAMES = [entry.name for entry in ENTRIES]


def test_the_help_lists_every_command_with_its_whole_summary(cli: Cli) -> None:
    result = cli("--help")
    assert result.code == 0
    flat = " ".join(result.out.split())
    for entry in ENTRIES:
        assert f" {entry.name} {entry.summary.split('.')[0]}" in flat


@pytest.mark.parametrize(("failed", "code", "said"), [(0, 0, ""), (2, 1, "  failed 2")])
def test_a_pass_that_left_something_out_says_so(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, failed: int, code: int, said: str
) -> None:
    async def made(_settings: Settings, name: str, **_: object) -> PassSummary:
        return PassSummary(name, examined=3, failed=failed)

    monkeypatch.setattr(passes, "run_pass", made)
    monkeypatch.setenv("RICORDO_NATS_URL", "nats://127.0.0.1:1")
    monkeypatch.setenv("RICORDO_STORES__POSTGRES_DSN", "postgresql://127.0.0.1:1/nobody")
    counts = "pass decay  examined 3  changed 0  archived 0  created 0  seconds 0.00"
    result = cli("lifecycle", "run", "decay")
    assert (result.code, result.out) == (code, f"{counts}{said}\n")
    result = cli("lifecycle", "run", "decay", "--json")
    assert result.code == code
    assert tuple(json.loads(result.out)) == ("pass", "examined", "changed", "archived", "created", "seconds")


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(cli: Cli, name: str) -> None:
    result = cli(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert f"ricordo {name}" in result.out


@pytest.mark.parametrize(
    ("command", "models"),
    [
        (query_commands.recall, (RecallRequest, Filters)),
        (query_commands.context, (ContextRequest,)),
        (query_commands.history, (HistoryRequest,)),
        (query_commands.facts, (FactsRequest,)),
        (offline_commands.analyze, (QueryInput,)),
        (offline_commands.enrich, (CheckedMessageInput,)),
        (offline_commands.extract, (MessageInput,)),
    ],
)
def test_options_that_a_command_passes_on_are_fields_of_its_request(
    command: Callable[..., object], models: tuple[type[BaseModel], ...]
) -> None:
    """`commands.toml` declares them, so that no type checker compares the names."""
    (entry,) = (entry for entry in ENTRIES if entry.place.endswith(f":{command.__name__}"))
    passed_on = set(entry.options) - set(inspect.signature(command).parameters) - set(entry.common)
    fields = {field for model in models for field in model.model_fields}
    assert passed_on
    assert passed_on <= fields


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("encode", "encode"), "name each worker once: encode is named more often"),
        (("embedding", "ingest", "index"), "embedding is encode and index already, not index again"),
        (("ingest", "painting"), "there is no worker painting: choose from ingest, "),
    ],
)
def test_workers_are_looked_at_before_their_servers(cli: Cli, names: tuple[str, ...], said: str) -> None:
    result = cli("worker", *names)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert len(result.err.splitlines()) == 1


def test_colours_are_refused_wherever_it_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (("--no-color", "analyze", "Ciao"), ("analyze", "Ciao", "--no-color")):
        monkeypatch.setenv("NO_COLOR", "")
        assert cli(*words).code == 0
        assert os.environ["NO_COLOR"] == "1"


def test_migrating_takes_the_owner_of_the_schema(cli: Cli) -> None:
    result = cli("migrate")
    assert (result.code, result.out) == (1, "")
    assert "RICORDO_STORES__POSTGRES_ADMIN_DSN" in result.err


def test_the_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom ricordo_services.cli.application import run\nrun(['--help'])\n"
        "print(sorted({'asyncio', 'nats', 'numpy', 'pydantic', 'rich', 'structlog'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_a_base_install_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "typer" else object())
    with pytest.raises(SystemExit) as end:
        command_line.main()
    assert end.value.code == 1
    assert "pip install '.[local]'" in capsys.readouterr().err


SLOW = table(__file__, "slow")
"""What takes a tenth of a second or more to load, or loads what does."""

MISTAKES = (
    *((entry.name, "--no-such-option") for entry in application.ENTRIES if not entry.settings),
    *table(__file__, "mistakes"),
)

_PROGRAM = f"""
import json, sys
from ricordo_services.cli.application import run
for line in sys.stdin:
    code = run(json.loads(line))
    print(code, *sorted(set(sys.modules) & set({SLOW!r})))
"""


def test_wrong_usage_loads_nothing_that_is_slow() -> None:
    typed = "".join(f"{json.dumps(mistake)}\n" for mistake in MISTAKES)
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=typed, capture_output=True, text=True, check=True
    )
    answers = dict(zip(MISTAKES, run.stdout.splitlines(), strict=True))
    assert {mistake: answer for mistake, answer in answers.items() if answer != "2"} == {}


def test_what_cannot_be_meant_is_a_matter_of_usage(cli: Cli) -> None:
    for words in MISTAKES:
        result = cli(*words)
        assert (result.code, result.out) == (2, ""), words
        assert result.err


def test_what_can_be_measured_is_known_by_its_name_beforehand() -> None:
    assert tuple(bench.BENCHES) == lab_names.BENCHES
    assert tuple(evaluation.EVALUATIONS) == lab_names.EVALUATIONS
