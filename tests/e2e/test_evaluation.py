"""`ricordo eval` on a file of the user: it starts a system, tells, asks, and stops it."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.fixtures.commands import COMMAND
from tests.fixtures.conversations import conversation
from tests.fixtures.wire import Json


def evaluated(name: str, folder: Path) -> list[Json]:
    """Return the lines of an evaluation on two conversations."""
    path = folder / "life.json"
    path.write_text(json.dumps([conversation("c-1"), conversation("c-2")]))
    return lines("eval", name, "--data", str(path))


def lines(*words: str) -> list[Json]:
    """Return what a command prints with `--json`."""
    ended = subprocess.run(
        [*COMMAND, *words, "--json"], capture_output=True, text=True, check=False, timeout=180
    )
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.lab
def test_recall_is_measured_through_a_whole_system(tmp_path: Path) -> None:
    rows = {(row["table"], row["name"]): row for row in evaluated("retrieval", tmp_path)}
    assert rows["questions", "all"]["questions"] == 4
    assert rows["questions", "one turn"]["fraction@5"] == 1
    for profile in ("human", "weighted", "multiplicative", "generative", "budget"):
        assert rows["profile", profile]["questions"] == 4
    assert ("en in en: human without", "speaker") in rows
    assert ("one signal alone", "BM25 of the text") in rows


@pytest.mark.lab
def test_answers_are_measured_through_a_whole_system(tmp_path: Path) -> None:
    said = {"messages": [{"id": "m1", "text": "my cat is called Miso", "at": "2026-09-01T10:00:00+02:00"}]}
    chats = [[{"kind": "told", "q": "what is my cat's name?", "accept": ["miso"]}]]
    chats += [[{"kind": "never", "q": "where does my brother work?", "accept": []}]]
    life = {"id": "f1", "l": "en", **said, "chats": chats}
    (tmp_path / "few.lives.jsonl").write_text(json.dumps(life) + "\n")
    rows = lines("eval", "answers", "--data", str(tmp_path))
    assert [(row["name"], row["questions"]) for row in rows] == [
        ("all", 2),
        ("never", 1),
        ("told", 1),
        ("en", 1),
    ]
    assert rows[0] == {**rows[0], "right": 1.0, "refused_of_never": 1.0, "right_of_answered": 1.0}
