"""A guarded process: it ends with its parent, it is insisted on, and it leaves nothing behind."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest
from tests.fixtures.eventually import eventually

from ricordo_services.stack.child_process import (
    Child,
    ChildPaths,
    living,
    log_tail,
    own_record,
    recorded_alive,
    until_gone,
)
from ricordo_services.stack.guard import process_identity
from ricordo_services.stack.servers import Launch

STUBBORN = (
    "import signal, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "print('deaf', flush=True); time.sleep(60)"
)
PARENTAL = (
    "import subprocess, sys, time\n"
    "subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    "print('born', flush=True); time.sleep(60)"
)


@pytest.fixture
def paths(tmp_path: Path) -> ChildPaths:
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    return ChildPaths(record=tmp_path / "record.json", log=tmp_path / "child.log", lock_fd=lock)


def launch(*argv: str, grace: float = 4.0) -> Launch:
    return Launch(
        argv=argv, cwd=Path("/"), stop_signal=signal.SIGTERM, orphan_signal=signal.SIGKILL, grace=grace
    )


def descendants(paths: ChildPaths) -> list[psutil.Process]:
    guard, *_ = recorded_alive(paths.record)
    return [psutil.Process(guard), *psutil.Process(guard).children(recursive=True)]


async def test_stopping_ends_the_process_and_its_record(paths: ChildPaths) -> None:
    child = await Child.start(launch("/bin/sleep", "60"), paths)
    await eventually(lambda: len(recorded_alive(paths.record)) == 2)
    await child.stop()
    assert not child.running
    assert not paths.record.exists()


async def test_an_exit_status_is_passed_on(paths: ChildPaths) -> None:
    assert await (await Child.start(launch("/bin/sh", "-c", "exit 7"), paths)).ended() == 7
    assert await (await Child.start(launch("/bin/sh", "-c", "kill -9 $$"), paths)).ended() == 137


async def test_a_process_that_ignores_the_request_is_killed_after_the_grace(paths: ChildPaths) -> None:
    child = await Child.start(launch(sys.executable, "-c", STUBBORN, grace=0.3), paths)
    await eventually(lambda: "deaf" in log_tail(paths.log))
    processes = descendants(paths)
    await child.stop()
    assert not any(process.is_running() for process in processes)


@pytest.mark.skipif(sys.platform != "linux", reason="adopting orphans is a service of Linux")
async def test_grandchildren_in_sessions_of_their_own_go_too(paths: ChildPaths) -> None:
    child = await Child.start(launch(sys.executable, "-c", PARENTAL), paths)
    await eventually(lambda: "born" in log_tail(paths.log))
    processes = descendants(paths)
    assert len(processes) == 3
    processes[1].kill()
    assert await child.ended() == 137
    assert not any(process.is_running() for process in processes)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal on the parent's death")
async def test_a_killed_guard_takes_the_process_with_it(paths: ChildPaths) -> None:
    child = await Child.start(launch("/bin/sleep", "60"), paths)
    await eventually(lambda: len(recorded_alive(paths.record)) == 2)
    guard, server = descendants(paths)
    guard.kill()
    assert await child.ended() == -signal.SIGKILL
    await eventually(lambda: process_identity(server.pid) is None)


async def test_what_a_record_names_is_killed_when_it_does_not_end(paths: ChildPaths) -> None:
    process = await asyncio.create_subprocess_exec("/bin/sleep", "60")
    identity = process_identity(process.pid)
    paths.record.write_text(f'{{"server": [{process.pid}, "{identity}"]}}', encoding="utf-8")
    assert await until_gone(paths.record, 0.5)
    assert await process.wait() == -signal.SIGKILL


def test_a_process_is_told_from_another_with_its_number() -> None:
    assert living(json.loads(own_record())) == os.getpid()
    assert living([os.getpid(), "another time"]) is None
    assert living([2**22 + 1, process_identity(os.getpid())]) is None
    assert living("nonsense") is None


async def test_the_lifeline_is_in_no_other_child(paths: ChildPaths, tmp_path: Path) -> None:
    first = await Child.start(launch("/bin/sleep", "60"), paths)
    second = await Child.start(
        launch("/bin/sleep", "60"),
        ChildPaths(tmp_path / "second.json", tmp_path / "second.log", paths.lock_fd),
    )
    await eventually(lambda: recorded_alive(tmp_path / "second.json"))
    await asyncio.wait_for(first.stop(), 30)  # it would hang for 60 if the second held the first's pipe
    assert second.running
    await second.stop()
