"""The system's processes: started, announced, told to stop, and gone at the end."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import nats
from nats.aio.client import Client

from ricordo.runtime.health_service import HEALTH_SUBJECT
from ricordo_lab.bench.options import BenchFailed

_PROGRAM: Final = "from ricordo_services.cli import main; main()"
_START_TAKES: Final = 120.0
_STOP_TAKES: Final = 30.0
_LOOK_S: Final = 0.3  # for which answers of processes are gathered
_TOLD: Final = 2000  # characters of a log


class Program:
    """A running command of `ricordo`; made by `started`.

    Args:
        process: of it.
        log: what it writes to.
    """

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.returncode is not None

    @property
    def exit_code(self) -> int | None:
        """With what it has ended; None while it runs."""
        return self._process.returncode

    async def ended(self) -> None:
        """Wait until it runs no more."""
        await self._process.wait()

    async def announced(self) -> Mapping[str, object]:
        """Wait for the line in which it tells where everything answers.

        Raises:
            BenchFailed: it does not start.
        """
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), _START_TAKES)
            return dict(json.loads(line))
        except (TimeoutError, ValueError):
            raise self.failed() from None

    def failed(self) -> BenchFailed:
        """Return why it does not start, by the end of its log."""
        told = self._log.read_text(encoding="utf-8", errors="replace")[-_TOLD:].strip()
        return BenchFailed(f"the system does not start: {told}")

    async def stop(self) -> None:
        """Ask it to stop, and wait until it has.

        Raises:
            BenchFailed: it did not stop, or not well.
        """
        self._process.send_signal(signal.SIGTERM)
        try:
            status = await asyncio.wait_for(self._process.wait(), _STOP_TAKES)
        except TimeoutError:
            raise BenchFailed(f"the system has not stopped within {_STOP_TAKES:g} seconds") from None
        if status != 0:
            raise BenchFailed(f"the system ended with status {status}")

    async def gone(self) -> None:
        """See to it that it has ended, one way or the other."""
        if self.has_ended:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_TAKES)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


@asynccontextmanager
async def started(
    log: Path, *words: str, settings: Mapping[str, str] | None = None
) -> AsyncIterator[Program]:
    """Run `ricordo` with `words`, and see to it that it is gone at the end.

    Args:
        log: the file that its standard error is added to.
        words: of the command line.
        settings: variables of its environment.
    """
    with log.open("a+b") as file:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PROGRAM, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            env={"RICORDO_LOG__LEVEL": "warning", **os.environ, **(settings or {})},
        )
        program = Program(process, log)
        try:
            yield program
        finally:
            await program.gone()


def addresses(stack_file: Path) -> Mapping[str, str]:
    """Return as variables where the servers of a running `ricordo up` answer, by the file that it left."""
    told = json.loads(stack_file.read_text(encoding="utf-8"))
    stores = {
        "POSTGRES_DSN": told["postgres"],
        "POSTGRES_ADMIN_DSN": told["postgres_admin"],
        **{name.upper(): told[name] for name in ("bolt_user", "bolt_password", "bolt_database")},
        "BOLT_URL": told["bolt"],
    }
    return {
        "RICORDO_BUS__URL": str(told["nats"]),
        **{f"RICORDO_STORES__{name}": str(value) for name, value in stores.items()},
    }


async def all_answer(address: str, programs: int) -> None:
    """Wait until so many processes with workers tell how they are."""
    bus = await nats.connect(address)
    try:
        while await _answering(bus) < programs:
            continue
    finally:
        await bus.close()


async def _answering(bus: Client) -> int:
    """Count the processes that answer within a moment."""
    inbox = bus.new_inbox()
    answers = await bus.subscribe(inbox)
    await bus.publish(HEALTH_SUBJECT, reply=inbox)
    await asyncio.sleep(_LOOK_S)
    count = int(answers.pending_msgs)
    await answers.unsubscribe()
    return count
