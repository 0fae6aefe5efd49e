"""The models of a cluster are fetched once, patiently, and need no network when they are there."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STAND_IN = """#!/bin/sh
# Holds the models that are files of $STORE; fails a pull as long as $STORE/failures counts down.
case "$1" in
show) test -e "$STORE/$2" ;;
pull)
    echo "$2" >>"$STORE/pulls"
    left=$(cat "$STORE/failures")
    if [ "$left" -gt 0 ]; then
        echo $((left - 1)) >"$STORE/failures"
        exit 1
    fi
    touch "$STORE/$2"
    ;;
esac
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ollama").write_text(STAND_IN)
    (tmp_path / "bin/ollama").chmod(0o755)
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "failures").write_text("0")
    return folder


def pull(store: Path, models: str | None) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{store.parent / 'bin'}:{os.environ['PATH']}",
        "STORE": str(store),
        "PULL_TRIES": "3",
        "PULL_PAUSE": "0",
    }
    if models is not None:
        environment["RICORDO_OLLAMA_MODELS"] = models
    command = ["/bin/sh", str(ROOT / "deploy/ollama/pull")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=30)


def pulls(store: Path) -> list[str]:
    record = store / "pulls"
    return record.read_text().split() if record.exists() else []


def test_what_is_missing_is_fetched(store: Path) -> None:
    (store / "here").touch()
    assert pull(store, "here missing").returncode == 0
    assert pulls(store) == ["missing"]
    assert pull(store, "here missing").returncode == 0
    assert pulls(store) == ["missing"]


def test_a_failing_network_is_tried_again(store: Path) -> None:
    (store / "failures").write_text("2")
    assert pull(store, "missing").returncode == 0
    assert pulls(store) == ["missing"] * 3


def test_what_cannot_be_fetched_is_named(store: Path) -> None:
    (store / "failures").write_text("9")
    run = pull(store, "missing other")
    assert run.returncode != 0
    assert "missing could not be fetched in 3 tries" in run.stderr
    assert set(pulls(store)) == {"missing"}


def test_no_list_of_models_is_refused(store: Path) -> None:
    run = pull(store, None)
    assert run.returncode != 0
    assert "RICORDO_OLLAMA_MODELS" in run.stderr
