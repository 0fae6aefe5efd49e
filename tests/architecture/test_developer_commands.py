"""The commands of the Makefile: each is listed, the site builds, and a second setup does nothing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = [
    *"setup browser demo up test test-fast test-slow test-lab test-gliner test-agents test-neo4j".split(),
    *"test-llm test-image test-http".split(),
    *"check size fmt schemas bench eval chaos docs clean lock help".split(),
]


def run(*command: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    # A make above this test would hand its flags down.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "PYTHON"))}
    return subprocess.run(
        command, cwd=cwd, env=inherited | environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with what the setup reads, and no environment."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/setup", tmp_path / ".ci/setup")
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_tests_on_neo4j_are_skipped_with_a_sentence_where_maven_is_missing(tmp_path: Path) -> None:
    for name in ("bash", "dirname", "sed"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    done = run("bash", ".ci/neo4j", PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "test-neo4j: skipped, since Maven is not installed\n")


def test_make_alone_lists_every_command_in_a_line() -> None:
    listed = re.findall(r"^  make ([\w-]+) +(\S.*)$", run("make").stdout, flags=re.MULTILINE)
    assert {name for name, _ in listed} == set(TARGETS)


def test_an_unsuitable_python_is_refused_with_what_to_do(checkout: Path) -> None:
    old = checkout / "python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    answer = run(".ci/setup", cwd=checkout, PYTHON=str(old))
    assert answer.returncode == 1
    assert "Python 3.11" in answer.stderr
    assert "apt install" in answer.stderr
    assert not (checkout / ".venv").exists()


def test_a_python_without_venv_is_refused_with_what_to_do(checkout: Path) -> None:
    bare = checkout / "python"
    bare.write_text(f'#!/bin/sh\ncase "$2" in *ensurepip*) exit 1 ;; esac\nexec "{sys.executable}" "$@"\n')
    bare.chmod(0o755)
    answer = run(".ci/setup", cwd=checkout, PYTHON=str(bare))
    assert answer.returncode == 1
    assert "apt install python3.11-venv" in answer.stderr
    assert not (checkout / ".venv").exists()


def test_a_second_setup_does_nothing(checkout: Path) -> None:
    interpreter = checkout / ".venv/bin/python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text("#!/bin/sh\nexit 1\n")
    interpreter.chmod(0o755)
    sums = run("cksum", "requirements.lock", "pyproject.toml", cwd=checkout).stdout
    (checkout / ".venv/ricordo-setup").write_text(f"{checkout.resolve()}\n{sums}")
    answer = run(".ci/setup", cwd=checkout)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
