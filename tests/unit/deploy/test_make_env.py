"""The .env of a cluster: random secrets, drawn once, for its owner's eyes only."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
SECRET = re.compile(r"[A-Za-z0-9_-]{32}")


def make_env(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "deploy/make_env.py", path],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def values(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_each_secret_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    run = make_env(path)
    assert run.returncode == 0, run.stderr
    drawn = values(path)
    assert drawn.keys() == values(ROOT / ".env.example").keys()
    assert all(SECRET.fullmatch(value) for value in drawn.values())
    assert len(set(drawn.values())) == len(drawn)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(value in run.stdout for value in drawn.values())


def test_what_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# mine\nRICORDO_NATS_PORT=4333\nRICORDO_NATS_PASSWORD=chosen\nRICORDO_NEO4J_PASSWORD=\n")
    assert make_env(path).returncode == 0
    text, found = path.read_text(), values(path)
    assert text.startswith("# mine\nRICORDO_NATS_PORT=4333\nRICORDO_NATS_PASSWORD=chosen\n")
    assert SECRET.fullmatch(found["RICORDO_NEO4J_PASSWORD"])
    assert found.keys() == values(ROOT / ".env.example").keys() | {"RICORDO_NATS_PORT"}
    assert make_env(path).returncode == 0
    assert path.read_text() == text


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    run = make_env(tmp_path / "nowhere" / ".env")
    assert run.returncode == 1
    assert "nowhere" in run.stderr
    assert "Traceback" not in run.stderr
