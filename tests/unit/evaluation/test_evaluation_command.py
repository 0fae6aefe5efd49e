import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.conversations import conversation

from ricordo_lab.evaluation.command import main
from ricordo_lab.evaluation.measures import measure
from ricordo_lab.evaluation.report import Row, markdown, text

WORDS = ("questions", "--data", "FILE", "--misses")
ROWS = [
    Row("questions", "all", measure(["a", "b"], {"b"}), 3),
    Row("profile", "human", measure(["a"], {"a"}), 3),
]


def test_tables_say_the_same_in_every_form() -> None:
    plain, page = "\n".join(text(ROWS)), "\n".join(markdown(ROWS))
    assert "questions" in plain
    assert page.count("```mermaid") == 2
    assert "| human | 1.000 |" in page
    assert ROWS[0].line()["fraction@5"] == 1.0
    assert json.loads(json.dumps(ROWS[0].line()))["ndcg@10"] == pytest.approx(0.6309)


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
    questions = Path(__file__).parents[1] / "analysis/development.tsv"
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
