"""How well facts are read, on a file of labelled messages."""

import json
from pathlib import Path

import pytest

from ricordo_lab.evaluation.command import main

FACT = {"subject": "user", "predicate": "lives_in", "object": "Turin", "polarity": "holds"}


def messages(path: Path, *lines: object) -> str:
    file = path / "messages.jsonl"
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
    return str(file)


def test_the_command_tells_precision_and_recall_by_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = messages(
        tmp_path,
        {"content": "I live in Turin.", "language": "en", "facts": [FACT]},
        {"content": "I live in Rome.", "language": "en", "facts": []},
        {"content": "Home is where the Po is.", "language": "en", "facts": [FACT]},
        {"content": "Ciao!", "language": "it", "facts": []},
    )
    assert main(["facts", "--data", file, "--json", "--misses"]) == 0
    english, wrong, missed, italian = map(json.loads, capsys.readouterr().out.splitlines())
    assert (english["messages"], english["facts"]) == (3, 2)
    assert (english["precision"], english["recall"]) == (0.5, 0.5)
    assert wrong["read_beside"] == [["user", "lives_in", "rome", "holds"]]
    assert missed["missed"] == [["user", "lives_in", "turin", "holds"]]
    assert (italian["precision"], italian["recall"]) == (None, None)


@pytest.mark.parametrize(
    "line", ["", "{", '{"content": "a"}', "[]", '{"content": 1, "language": "en", "facts": 2}']
)
def test_another_file_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert main(["facts", "--data", messages(tmp_path, line)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "--data", str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl" in capsys.readouterr().err
