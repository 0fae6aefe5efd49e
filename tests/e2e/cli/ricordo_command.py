"""The command `ricordo`, as a user calls it: a process of its own."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import psutil

from ricordo_services.cli.app import run

COMMAND = (sys.executable, "-c", "from ricordo_services.cli import main; main()")
PATIENCE = 90  # seconds; for machines that have other things to do


def environment(home: Path) -> dict[str, str]:
    """Return an environment that tells Ricordo where its data is, below `home`, and to be patient.

    Nothing is away in these tests, however busy the machine is.
    """
    ours = (
        "RICORDO_",
        "PYTHONDONTWRITEBYTECODE",
    )  # without bytecode every process would take seconds to begin
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    patient = {"RICORDO_STORES__BOLT_TIMEOUT_S": "4", "RICORDO_EMBEDDING__QUERY_TIMEOUT_S": "4"}
    return {**clean, **patient, "XDG_DATA_HOME": str(home), "COLUMNS": "100"}


@dataclass
class Ricordo:
    """Calls `ricordo` for one data folder: in a process of its own, or in this one, which is much faster."""

    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def data_dir(self) -> Path:
        return self.home / "ricordo"

    @property
    def environment(self) -> dict[str, str]:
        return {**environment(self.home), **self.variables}

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """Run a command here, check its exit code, return its output (and its errors, where it failed)."""
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, self.environment, clear=True),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            ended = run(arguments)
        return _checked(ended, out.getvalue(), err.getvalue(), code)

    def process(self, *arguments: str, stdin: str = "", code: int = 0, timeout: float = PATIENCE) -> str:
        """Run a command in a process of its own, else as above."""
        ended = subprocess.run(
            [*COMMAND, *arguments],
            check=False,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=self.environment,
        )
        return _checked(ended.returncode, ended.stdout, ended.stderr, code)

    def json(self, *arguments: str, code: int = 0) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self(*arguments, "--json", code=code).splitlines()[0])

    def publish(self, lines: str, *options: str, code: int = 0) -> Any:  # noqa: ANN401 - any JSON
        """Publish from standard input, in a process of its own."""
        return json.loads(
            self.process("publish", "-", "--json", *options, stdin=lines, code=code).splitlines()[0]
        )


def until(holds: Callable[[], bool]) -> None:
    """Wait for what the workers of a stack bring about; `holds` may call commands, so nothing is awaited."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.1)


def _checked(ended: int, out: str, err: str, code: int) -> str:
    assert ended == code, (ended, out, err)
    assert "Traceback" not in err
    return out + (err if code else "")


@dataclass
class Up:
    """A running `ricordo up --json`."""

    process: psutil.Popen
    ready: dict[str, Any]
    log: Path

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait until it has ended, return its exit code; nothing of it may be left."""
        family = self.process.children(recursive=True)
        self.process.send_signal(number)
        code = int(self.process.wait(PATIENCE))
        _, alive = psutil.wait_procs(family, timeout=15)
        assert alive == []
        return code


@contextlib.contextmanager
def up(ricordo: Ricordo, *arguments: str) -> Iterator[Up]:
    """Run `ricordo up --json` until the end of the `with`, unless it was ended before."""
    log = ricordo.home / "up.log"
    with log.open("a") as errors:
        process = psutil.Popen(
            [*COMMAND, "up", "--json", *arguments],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=ricordo.environment,
        )
    try:
        line = process.stdout.readline()
        assert line, log.read_text()[-3000:]
        yield Up(process, json.loads(line), log)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE)
        process.stdout.close()


@contextlib.contextmanager
def worker(ricordo: Ricordo, *names: str) -> Iterator[psutil.Popen]:
    """Run `ricordo worker` until the end of the `with`; it begins when the workers are ready."""
    process = psutil.Popen(
        [*COMMAND, "worker", *names], stderr=subprocess.PIPE, text=True, env=ricordo.environment
    )
    try:
        lines: list[str] = []
        while not lines or json.loads(lines[-1])["event"] != "ready":
            lines.append(process.stderr.readline())
            assert lines[-1], "".join(lines)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
