"""What is typed wrongly is refused before anything is loaded that takes long."""

import json
import subprocess
import sys

from ricordo_lab import names
from ricordo_lab.bench import command as bench
from ricordo_lab.evaluation import command as evaluation
from ricordo_services.cli import catalogue

SLOW = (
    "httpx",
    "neo4j",
    "numpy",
    "onnxruntime",
    "ricordo.memory.facts",
    "ricordo.language.temporal",
    "ricordo_services.app",
    "tokenizers",
)
"""What takes a tenth of a second or more to load, or loads what does."""

MISTAKES = (
    *((entry.name, "--no-such-option") for entry in catalogue.ENTRIES if not entry.settings),
    ("nosuch",),
    ("recall",),
    ("recall", "boats"),
    ("worker",),
    ("worker", "nosuch"),
    ("analyze",),
    ("up", "--workers", "nosuch"),
    ("timeline", "--user", "ada"),
    ("demo", "extra"),
    ("backup",),
    ("bench", "nosuch"),
    ("bench", "nosuch", "--json"),
    ("eval",),
    ("eval", "nosuch", "--data", "x"),
)

_PROGRAM = f"""
import json, sys
from ricordo_services.cli.app import run
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
    assert tuple(bench.BENCHES) == names.BENCHES
    assert tuple(evaluation.EVALUATIONS) == names.EVALUATIONS
