import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.conversations import conversation

from ricordo_lab.evaluation.command import main
from ricordo_lab.evaluation.measures import measure, row
from ricordo_lab.evaluation.results import Figures, Miss, Row, print_results

WORDS = ("questions", "--data", "FILE", "--misses")
RESULTS: list[Figures | Row | Miss] = [
    row("questions", "all", measure(["a", "b"], {"b"}), 3),
    row("profile", "human", measure(["a"], {"a"}), 3),
    Figures(valence=0.5, arousal=None),
    Miss(missed="perché?"),
]


def test_results_are_tables_figures_and_misses_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(RESULTS, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "questions"
    assert lines[2].split()[:3] == ["name", "questions", "fraction@5"]
    assert lines[7].split()[:3] == ["human", "3", "1.0"]
    assert [line.split() for line in lines[8:]] == [
        ["valence", "0.5"],
        ["arousal", "undefined"],
        ["missed", "perché?"],
    ]


def test_results_are_an_object_a_line_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(RESULTS, as_json=True)
    first, _, figures, miss = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["table"], first["name"], first["questions"]) == ("questions", "all", 3)
    assert first["fraction@5"] == 1.0
    assert first["ndcg@10"] == pytest.approx(0.6309)
    assert figures == {"valence": 0.5, "arousal": None}
    assert miss == {"missed": "perché?"}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), 2, "NAME"),
        (("retrieval",), 2, "--data"),
        (("charm", "--data", "x"), 2, "invalid choice"),
        (("fit", "--data", "none.json"), 1, "none.json cannot be read"),
        (("questions", "--data", "none.tsv"), 1, "none.tsv cannot be read"),
        (("--help",), 0, "retrieval"),
    ],
)
def test_what_is_wrong_is_said(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, says: str
) -> None:
    assert main(words) == code
    out, err = capfd.readouterr()
    assert says in out + err


def test_a_single_conversation_cannot_be_left_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps([conversation("c-1")]))
    assert main(("fit", "--data", str(path))) == 1
    assert "at least two" in capfd.readouterr().err


def test_who_has_read_enough_is_no_failure() -> None:
    questions = Path(__file__).parents[1] / "language/query_analysis/development.tsv"
    command = f"from ricordo_lab.evaluation.command import main; raise SystemExit(main({WORDS!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", command.replace("FILE", str(questions))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == ""
        assert program.wait(timeout=60) == 0
