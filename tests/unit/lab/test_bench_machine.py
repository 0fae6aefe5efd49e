"""Figures taken while other processes are at work: a warning precedes them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from ricordo_lab.bench import command, machine
from ricordo_lab.bench.measurement import Options, Report

WARNING: Final = re.compile(r"other processes keep (\d+) % of the processors busy: the figures of startup")


async def measured(options: Options, report: Report) -> None:
    report({"bench": "startup", "first_start_s": 5.5, "start_s": 5.0, "stop_s": 1.5, "memory_mb": 1496.0})


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BENCHES", {"startup": measured})
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def busy() -> Iterator[None]:
    """Another wants the one processor that this process may use."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    spin = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    other = subprocess.Popen(spin, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        other.stdout.readline()
        yield
    finally:
        os.sched_setaffinity(0, allowed)
        other.kill()
        other.communicate()


@pytest.mark.usefixtures("busy")
def test_others_are_warned_of_before_and_their_share_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(["startup", "--json"]) == 0
    told = capsys.readouterr()
    warned = WARNING.search(told.err)
    assert warned, told.err
    percent = int(warned[1])
    assert percent > 30
    assert "\x1b" not in told.err, "no terminal, no colour"
    assert json.loads(told.out.splitlines()[0])["others_percent"] == percent


def test_what_this_process_takes_itself_is_not_others() -> None:
    script = (
        "import os, threading\n"
        "from ricordo_lab.bench.machine import percent_of_others\n"
        "def spin():\n    while True: pass\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "before = percent_of_others()\n"
        "threading.Thread(target=spin, daemon=True).start()\n"
        "print(before, min(percent_of_others() for _ in range(4)))\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    before, during = map(int, ended.stdout.split())
    assert 0 <= before <= 100
    assert 0 <= during < before + 50, "it takes what others leave, and is none of them"


def test_a_system_that_does_not_tell_is_none_to_warn_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr("psutil.PROCFS_PATH", str(tmp_path))  # where nothing is
        assert machine.percent_of_others() is None
    monkeypatch.setattr(machine, "percent_of_others", lambda: None)
    assert command.main(["startup"]) == 0
    assert not WARNING.search(capsys.readouterr().err)


@pytest.mark.parametrize(("percent", "warns"), [(9, False), (10, True)])
def test_a_quiet_machine_is_none_to_warn_of(
    percent: int, *, warns: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "percent_of_others", lambda: percent)
    assert command.main(["startup"]) == 0
    told = capsys.readouterr().err
    assert bool(WARNING.search(told)) is warns


@pytest.mark.parametrize("colours", [True, False])
def test_the_warning_is_yellow_where_there_are_colours(
    *, colours: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "percent_of_others", lambda: 80)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")
    assert command.main(["startup"]) == 0
    assert ("33m" in capsys.readouterr().err) is colours
