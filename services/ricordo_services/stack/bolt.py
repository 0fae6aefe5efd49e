"""The Bolt server (ArcadeDB, which speaks Cypher) as a local server, on the Java it brings along.

Its classes come from a cache that Java writes when the first server on a machine stops (JEP 514): with it
Java starts in a third of the processor time, and takes 30 MB less.
"""

import contextlib
import json
import os
import shutil
import signal
import zlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from ricordo.machine import default_cache_folder
from ricordo_services import private_files as private
from ricordo_services.stack import packages
from ricordo_services.stack.folder import DataFolder
from ricordo_services.stack.servers import LOOPBACK, Launch, NotReady, ServerFailed, answer_of

USER = "root"
DATABASE = "ricordo"
HANDSHAKE = bytes.fromhex("6060b017 00000404 00000004 00000003 00000000")
NO_VERSION = bytes(4)
READY_REQUEST = b"GET /api/v1/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
GAVE_UP = 'Exception in thread "main"'
READY = b"HTTP/1.1 204"
RECORDING_SECONDS = 120.0
"""The longest that the first stop takes, in which Java writes the cache."""


class BoltServer:
    """ArcadeDB with its Bolt plugin and one database."""

    name = "graph"
    port_names = ("bolt", "bolt_http")

    def __init__(self, folder: DataFolder) -> None:
        self._password = folder.secrets().bolt
        self._folder = folder.path / "graph"
        self._log = folder.files_of(self.name).log
        self._log_start = 0
        self._recorded = self._folder / "classes.aot"

    def url(self, ports: Mapping[str, int]) -> str:
        """Return the address for a Bolt driver, without credentials."""
        return f"bolt://{LOOPBACK}:{ports['bolt']}"

    async def prepare(self, ports: Mapping[str, int]) -> Launch:
        """Write the password and the Java argument file."""
        package = packages.bolt_server()
        cache = class_cache(package)
        option = f"-XX:AOTCache={cache}" if cache.exists() else f"-XX:AOTCacheOutput={self._recorded}"
        self._recorded.unlink(missing_ok=True)  # of a run that was killed
        self._log_start = self._log.stat().st_size if self._log.exists() else 0
        arguments = self._folder / "java.args"
        template = resources.files(__package__).joinpath("graph.args").read_text(encoding="utf-8")
        words = [line for line in template.splitlines() if not line.startswith("#")]
        values: dict[str, object] = {
            "cache": option,
            "folder": self._folder,
            "class_path": f"{package}/jars/*",
            "host": LOOPBACK,
        }
        values |= {"user": USER, "database": DATABASE, "port": ports["bolt"], "http_port": ports["bolt_http"]}
        filled = (json.dumps(word.format(**values), ensure_ascii=False) for word in words)
        private.write(arguments, "".join(f"{word}\n" for word in filled))
        private.write(self._folder / "password", self._password)
        return Launch(
            argv=(str(package / packages.JAVA), f"@{arguments}"),
            cwd=self._folder,
            grace=4.0 if cache.exists() else RECORDING_SECONDS,
            stop_signal=signal.SIGTERM,
            orphan_signal=signal.SIGKILL,  # nothing committed is lost, and nobody is left to insist
        )

    def save_classes(self) -> None:
        """Move the cache that Java has written, if any, to where the next servers find it."""
        if self._recorded.exists():
            cache = class_cache(packages.bolt_server())
            with contextlib.suppress(OSError):  # it is written anew the next time
                cache.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(self._recorded, cache.with_suffix(".new"))
                cache.with_suffix(".new").replace(cache)

    async def probe(self, ports: Mapping[str, int]) -> None:
        """Return when the server has opened its database and agrees on a version of the protocol.

        The Bolt port listens before the database is there; the HTTP side knows when it is.
        """
        # Where the main thread has died, the process lingers and never answers.
        with contextlib.suppress(FileNotFoundError), self._log.open("rb") as log:
            grown = log.seek(0, os.SEEK_END) >= self._log_start
            log.seek(self._log_start if grown else 0)
            said = log.read().decode("utf-8", errors="replace")
            if GAVE_UP in said:
                raise ServerFailed(self.name, "did not start", said[said.index(GAVE_UP) :][:1000])
        if await answer_of(ports["bolt_http"], READY_REQUEST, len(READY)) != READY:
            raise NotReady
        if await answer_of(ports["bolt"], HANDSHAKE, len(NO_VERSION)) == NO_VERSION:
            raise NotReady


def class_cache(package: Path) -> Path:
    """Return the file for the classes of an installation of the server; another one has another file."""
    stats = {path.name: path.stat() for path in (package / "jars").iterdir()}
    jars = sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats.items())
    installation = repr((str(package / packages.JAVA), jars)).encode()
    return default_cache_folder() / f"graph-{zlib.crc32(installation):08x}.aot"
