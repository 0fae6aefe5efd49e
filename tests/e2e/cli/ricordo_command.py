"""The command `ricordo`, as a user calls it."""

import contextlib
import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
from tests.fixtures.commands import COMMAND

from ricordo_services.cli.application import run

PATIENCE = 150  # seconds; for machines that have other things to do


def line(user: str, number: int, content: str, **fields: object) -> dict[str, Any]:
    """Return a message of a file to publish, `USER-NUMBER`; `fields` add to it or replace parts of it."""
    usual = {
        "id": f"{user}-{number}",
        "user_id": user,
        "conversation_id": f"c-{user}",
        "role": "user",
        "content": content,
        "timestamp": f"2026-05-05T10:{number:02}:00+02:00",
    }
    return usual | fields


def lines(user: str, *contents: str) -> str:
    return to_lines(*(line(user, number, content) for number, content in enumerate(contents, 1)))


def to_lines(*messages: Mapping[str, object]) -> str:
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages)


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
        """Variables that say where the data is, and that nothing is away, however busy the machine is."""
        # without bytecode every process would take seconds to begin
        ours = ("RICORDO_", "PYTHONDONTWRITEBYTECODE")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        patient = {"RICORDO_STORES__BOLT_TIMEOUT_S": "4", "RICORDO_EMBEDDING__QUERY_TIMEOUT_S": "4"}
        return {**clean, **patient, "XDG_DATA_HOME": str(self.home), "COLUMNS": "100", **self.variables}

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """Run a command here, check its exit code, return its output (and its errors, where it failed)."""
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, self.environment, clear=True),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            ended = run(arguments)
        return self._checked(ended, out.getvalue(), err.getvalue(), code)

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
        return self._checked(ended.returncode, ended.stdout, ended.stderr, code)

    def _checked(self, ended: int, out: str, err: str, code: int) -> str:
        if ended != code and "log says why" in err:
            err += (self.home / "up.log").read_text()[-3000:]
        assert ended == code, (ended, out, err)
        assert "Traceback" not in err
        return out + (err if code else "")

    def json(self, *arguments: str, code: int = 0) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self(*arguments, "--json", code=code).splitlines()[0])

    def publish(self, text: str, *options: str, code: int = 0) -> Any:  # noqa: ANN401 - any JSON
        file = self.home / "lines.jsonl"
        file.write_text(text, encoding="utf-8")
        return self.json("publish", str(file), *options, code=code)

    def remember(self, user: str, *contents: str) -> tuple[str, str]:
        """Have a user's messages remembered; return the option that names the user."""
        assert self.publish(lines(user, *contents), "--wait")["remembered"] == len(contents)
        return "--user", user


def until(holds: Callable[[], bool]) -> None:
    """Wait until `holds`; it may call commands, so nothing is awaited."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.1)


@dataclass
class Up:
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
        ready = process.stdout.readline()
        assert ready, log.read_text()[-3000:]
        yield Up(process, json.loads(ready), log)
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
        output: list[str] = []
        while not output or json.loads(output[-1])["event"] != "ready":
            output.append(process.stderr.readline())
            assert output[-1], "".join(output)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
