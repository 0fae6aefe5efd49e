"""What the local servers have in common: how they are run, errors that say what to do, and their ports.

Ports are free, on loopback, and the same after a restart of the same folder. They are taken from below the
range the kernel gives to outgoing connections. A port inside that range can be lost to any client while its
server restarts, worst of all to a client reconnecting to that very port, which on loopback can meet itself.
"""

import asyncio
import contextlib
import json
import random
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ricordo_services import private_files as private

LOOPBACK = "127.0.0.1"
LOWEST = 20_000
EPHEMERAL_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
DEFAULT_EPHEMERAL_START = 32_768
WELL_KNOWN = frozenset(
    {20_000, 22_122, 24_224, 25_565, 26_257, 26_379, 27_017, 27_018, 27_019, 28_015, 28_017, 29_015}
)
ATTEMPTS = 64


class StackError(Exception):
    """Base class; raised itself where the package of a server is not installed."""


class FolderRefused(StackError):
    """The data folder cannot be used as it stands: in use, too new, damaged or full."""


class BackupRefused(StackError):
    """A backup is damaged, or made by a version that this one cannot follow; nothing was changed."""


class ServerFailed(StackError):
    """A server did not start, or kept ending."""

    def __init__(self, server: str, reason: str, log_tail: str = "") -> None:
        tail = f"\n--- last lines of its log ---\n{log_tail}" if log_tail else ""
        super().__init__(f"{server}: {reason}{tail}")


class WorkersFailed(ServerFailed):
    """A process of workers did not start, or kept ending; the message is its reason."""

    def __init__(self, reason: str) -> None:
        Exception.__init__(self, reason)


@dataclass(frozen=True, slots=True)
class Account:
    """The unprivileged user a server runs as."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Launch:
    """One command to run under a guard.

    Attributes:
        stop_signal: asks it to finish; after ``grace`` seconds it is killed.
        account: the user to become; None to stay the one we are.
        descriptors: open files that it inherits.
        logs_here: whether it writes to this process's standard error, not to a file.
    """

    argv: tuple[str, ...]
    cwd: Path
    stop_signal: int
    orphan_signal: int
    grace: float = 4.0
    account: Account | None = None
    stdin: Path = Path("/dev/null")
    descriptors: tuple[int, ...] = ()
    logs_here: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


class NotReady(Exception):
    """The server does not answer yet."""


async def answer_of(port: int, request: bytes, size: int | None = None) -> bytes:
    """Return the first `size` bytes that come back for `request`; a line if `size` is None.

    Raises:
        NotReady: they do not come.
    """
    try:
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        try:
            writer.write(request)
            return await (reader.readline() if size is None else reader.readexactly(size))
        finally:
            writer.close()
    except (OSError, asyncio.IncompleteReadError) as error:
        raise NotReady from error


def is_free(port: int) -> bool:
    """Tell whether a server could listen on ``port`` of the loopback address now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
            probe.listen(1)
        except OSError:
            return False
    return True


def choose_port(taken: Iterable[int] = ()) -> int:
    """Return a free loopback port that is none of ``taken``, outside the outgoing range if possible."""
    refused, highest = WELL_KNOWN | set(taken), DEFAULT_EPHEMERAL_START - 1
    with contextlib.suppress(OSError, ValueError, IndexError):
        highest = int(EPHEMERAL_RANGE.read_text(encoding="ascii").split()[0]) - 1
    for _ in range(ATTEMPTS if highest > LOWEST else 0):
        port = random.SystemRandom().randint(LOWEST, highest)
        if port not in refused and is_free(port):
            return port
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind((LOOPBACK, 0))
            port = int(probe.getsockname()[1])
        if port not in refused:
            return port


class PortBook:
    """The ports of one data folder, by name, kept in a small JSON file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ports: dict[str, int] = {}
        kept: object = None
        with contextlib.suppress(OSError, ValueError):  # it is written anew
            kept = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(kept, dict):
            for name, port in kept.items():
                if isinstance(port, int) and 1024 <= port <= 65_535:
                    self._ports[name] = port

    def __getitem__(self, name: str) -> int:
        """Return the port last reserved under ``name``."""
        return self._ports[name]

    def reserve(self, names: Iterable[str]) -> dict[str, int]:
        """Return a free port for each name: last time's where it is still free, else a new one."""
        reserved: dict[str, int] = {}
        for name in names:
            last = self._ports.get(name)
            others = {port for other, port in self._ports.items() if other != name}
            keep = last is not None and last not in others and is_free(last)
            reserved[name] = self._ports[name] = last if keep and last is not None else choose_port(others)
        private.write(self._path, json.dumps(self._ports, indent=1, sort_keys=True))
        return reserved
