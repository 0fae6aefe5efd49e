"""A process under its guard, kept running, and processes of a former stack that may still run.

These are found by their records, never by name: a record holds the id and the start time of a process,
so that a reused id is left alone.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NoReturn, Self

import structlog

from ricordo_services.stack import guard
from ricordo_services.stack.servers import Launch, ServerFailed

log = structlog.get_logger("ricordo.stack")

POLL_SECONDS = 0.05


def own_record() -> str:
    """Return the record of this process."""
    return json.dumps([os.getpid(), guard.process_identity(os.getpid())])


def living(recorded: object) -> int | None:
    """Return the number of a recorded ``[pid, identity]`` if that very process still runs."""
    match recorded:
        case [int(pid), str(identity)] if guard.process_identity(pid) == identity:
            return pid
    return None


def read_record(path: Path) -> object:
    """Return the content of a record, or None when there is none that can be read."""
    content: object = None
    with contextlib.suppress(OSError, ValueError):
        content = json.loads(path.read_text(encoding="utf-8"))
    return content


def recorded_alive(record: Path) -> list[int]:
    """Return the processes of a guard's record that still run."""
    content = read_record(record)
    found = [living(process) for process in content.values()] if isinstance(content, dict) else []
    return [pid for pid in found if pid is not None and pid != os.getpid()]


def kill_recorded(record: Path) -> None:
    """Kill the guard and the server of a record, where they still run."""
    for pid in recorded_alive(record):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


async def until_gone(record: Path, seconds: float) -> bool:
    """Wait for the processes of a record, kill them after ``seconds``, and return whether they are gone."""
    for insist in (False, True):
        if insist:
            kill_recorded(record)
        deadline = time.monotonic() + seconds
        while recorded_alive(record):
            if time.monotonic() >= deadline:
                break
            await asyncio.sleep(POLL_SECONDS)
        else:
            record.unlink(missing_ok=True)  # noqa: ASYNC240 - as short as a file operation gets
            return True
    return False  # even killing did not help within as long again


LOG_LIMIT_BYTES = 8 * 1024 * 1024
TAIL_BYTES = 2_000
STOP_MARGIN_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class ChildPaths:
    """The files of a child, and the lock that it inherits."""

    record: Path
    log: Path
    lock_fd: int


class Child:
    """A running server under its guard; made by ``Child.start``.

    The guard's standard input is the lifeline: closing it, or dying, ends the server.
    """

    def __init__(self, process: asyncio.subprocess.Process, grace: float) -> None:
        self._process = process
        self._grace = grace

    @classmethod
    async def start(cls, launch: Launch, paths: ChildPaths) -> Self:
        """Start the server in a session of its own, so that a terminal's Ctrl-C does not reach it."""
        told = {**asdict(replace(launch, environment={})), "record": paths.record}
        log = os.dup(2) if launch.logs_here else _open_log(paths.log)
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", guard.__file__, json.dumps(told, default=str)),
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, **launch.environment},
                start_new_session=True,
                pass_fds=(paths.lock_fd, *launch.descriptors),
            )
        )
        try:
            return cls(await asyncio.shield(starting), launch.grace)
        except asyncio.CancelledError:
            await cls(await starting, launch.grace).stop()  # it was born all the same
            raise
        finally:
            os.close(log)

    async def ended(self) -> int:
        """Wait until the server and all its descendants are gone; return its exit status."""
        return await self._process.wait()

    @property
    def running(self) -> bool:
        """Whether the guard is there."""
        return self._process.returncode is None

    def release(self) -> None:
        """Ask the guard to stop the server, without waiting."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def stop(self) -> None:
        """Stop the server and wait until nothing of it is left."""
        self.release()
        try:
            await asyncio.wait_for(self._process.wait(), self._grace + STOP_MARGIN_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()  # the kernel then signals the server
            await self._process.wait()


def _open_log(path: Path) -> int:
    """Open a log file to append to it; of one that has grown large a single former file is kept."""
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_suffix(".log.1"))
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def log_tail(log: Path) -> str:
    """Return the last lines of a log file, at most 2,000 bytes of them."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            return file.read().decode("utf-8", errors="replace").strip()
    except OSError:
        return ""


async def run_to_end(launch: Launch, paths: ChildPaths, name: str) -> None:
    """Run a command that ends by itself under a guard.

    Raises:
        ServerFailed: it did not end with status 0.
    """
    child = await Child.start(launch, paths)
    try:
        status = await child.ended()
    finally:
        await child.stop()
    if status != 0:
        raise ServerFailed(name, f"preparing it ended with status {status}", log_tail(paths.log))


@dataclass(frozen=True, slots=True)
class SupervisionTimes:
    """How long, in seconds, and how often the stack tries."""

    start: float = 60.0  # for a server to answer
    poll: float = 0.03  # between two questions whether it does
    answer: float = 10.0  # for one such question
    port_attempts: int = 4
    restarts: int = 5  # in a row may fail; a server that was killed often is still restarted
    window: float = 120.0  # in which exits count for the pause before a restart
    backoff: float = 0.2  # before the first restart, doubled for each further exit
    longest_pause: float = 5.0  # before a restart


async def keep_running(
    kind: str,
    name: str,
    ended: Callable[[], Awaitable[int]],
    restart: Callable[[], Awaitable[None]],
    times: SupervisionTimes,
) -> NoReturn:
    """Start a process again whenever it ends.

    Args:
        kind: what it is, for the log: `server` or `process`.
        ended: waits for its end, and returns its exit status.

    Raises:
        ServerFailed: too many starts in a row have failed.
    """
    logger, failures = log.bind(**{kind: name}), 0
    ends: deque[float] = deque(maxlen=16)
    while True:
        if failures == 0:
            logger.warning("ended", status=await ended())
        ends.append(time.monotonic())
        recent = sum(end > time.monotonic() - times.window for end in ends)
        await asyncio.sleep(min(times.backoff * 2 ** (recent - 1), times.longest_pause))
        try:
            await restart()
        except ServerFailed as error:
            failures += 1
            if failures > times.restarts:
                raise
            logger.warning("not restarted", reason=str(error))
        else:
            failures = 0
            logger.info("restarted")


def keep_in_background(
    keeping: Callable[[], Awaitable[NoReturn]], failed: asyncio.Future[None]
) -> asyncio.Task[None]:
    """Run `keep_running` in a task, and tell `failed` when it gives up."""

    async def keep() -> None:
        try:
            await keeping()
        except Exception as error:  # noqa: BLE001 - whatever ends the keeper is the stack's failure, and told there
            if not failed.done():
                failed.set_exception(error)

    return asyncio.create_task(keep())
