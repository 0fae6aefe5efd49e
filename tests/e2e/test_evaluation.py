"""`ricordo eval` on a file of the user: it starts a system, tells, asks, and stops it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.commands import COMMAND
from tests.fixtures.conversations import conversation
from tests.fixtures.wire import Json

from ricordo_lab.evaluation.evaluation_command import main
from ricordo_lab.peers import comparison
from ricordo_lab.peers.environments import PeerPackages


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


@pytest.mark.lab
def test_ricordo_is_compared_with_a_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ricordo_lab.peers.contenders.install", lambda *_: Path(sys.executable))
    script = Path(__file__).parents[1] / "fixtures" / "fake_peer.py"
    monkeypatch.setattr(comparison, "PEERS", {"fake": PeerPackages([], encodes=False, script=script)})
    path = tmp_path / "life.json"
    path.write_text(json.dumps([conversation("c-1"), conversation("c-2")]))
    words = ("--data", str(path), "--portion", "3", "--echoes", "6")
    assert main(("peers", *words, "--json")) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    ours, theirs = (row for row in rows if row["table"] == "beside peers")
    assert (ours["name"], ours["R@5"], theirs["name"], theirs["R@5"]) == ("ricordo", 1, "fake", 1)
    assert ours["memory_mb"] > theirs["memory_mb"] > 0
    (share,) = (row for row in rows if row["table"] == "a message of ricordo's")
    assert 0 < share["encoding_alone_ms"] < share["cpu_ms"] == ours["cpu_ms"]
    echoes = [row for row in rows if row["table"] == "6 recalls fed back"]
    assert [(row["name"], row["fed_back"]) for row in echoes] == [
        ("ricordo", "as handed out"),
        ("fake", "as handed out"),
        ("ricordo", "bare text"),
    ]
    marked = echoes[0]["memories"].split(" → ")
    assert marked[0] == marked[1]  # what is marked as recalled is no new memory
    assert echoes[1]["memories"] == "8 → 14"
