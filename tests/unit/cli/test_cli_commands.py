"""Commands, their help and their usage errors."""

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import fields

import pytest
from tests.fixtures.sentence_tables import table
from tests.unit.cli.conftest import Cli

from ricordo.messages.answers import AnswerRequest
from ricordo.messages.filters import Filters
from ricordo.messages.queries import ContextRequest, RecallRequest
from ricordo.settings import Settings
from ricordo_lab import lab_names
from ricordo_lab.bench import bench_command as bench
from ricordo_lab.evaluation import evaluation_command as evaluation
from ricordo_services import cli as command_line
from ricordo_services.app import passes
from ricordo_services.cli.application import COMMANDS, summaries
from ricordo_services.cli.options import FilterOptions, QuestionOptions
from ricordo_services.job_progress import PassSummary

OF_THE_LAB = ("bench", "eval")
"""Commands that hand their options over, and whose help is that of the lab."""


def test_the_help_lists_every_command_with_its_whole_summary(cli: Cli) -> None:
    result = cli("--help")
    assert result.code == 0
    flat = " ".join(result.out.split())
    for name, summary in summaries().items():
        assert f" {name} {summary.split('.')[0]}" in flat


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(cli: Cli, name: str) -> None:
    result = cli(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert f"ricordo {name}" in result.out
    assert summaries()[name] in " ".join(result.out.split()) or name in OF_THE_LAB


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


def test_options_that_are_passed_on_are_fields_of_the_requests() -> None:
    asked = {field.name for field in fields(QuestionOptions)}
    for request in (RecallRequest, ContextRequest, AnswerRequest):
        assert asked <= request.model_fields.keys()
    assert {field.name for field in fields(FilterOptions)} - {"within"} <= Filters.model_fields.keys()
    assert FilterOptions(within="c-1", min_importance=0.0).chosen == {
        "conversation_id": "c-1",
        "min_importance": 0.0,
    }
    assert FilterOptions().chosen is None


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
    *((name, "--no-such-option") for name in COMMANDS if name not in OF_THE_LAB),
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


def test_what_can_be_measured_is_known_by_its_name_beforehand() -> None:
    assert tuple(bench.BENCHES) == lab_names.BENCHES
    assert tuple(evaluation.EVALUATIONS) == lab_names.EVALUATIONS
