"""The interface of a local server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


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
    """

    argv: tuple[str, ...]
    cwd: Path
    stop_signal: int
    orphan_signal: int
    grace: float = 4.0
    account: Account | None = None
    stdin: Path = Path("/dev/null")
    environment: Mapping[str, str] = field(default_factory=dict)


class NotReady(Exception):
    """The server does not answer yet."""


class Server(Protocol):
    """One of the local servers."""

    @property
    def name(self) -> str:
        """Its short name: of its log file, and in messages."""
        ...

    @property
    def port_names(self) -> tuple[str, ...]:
        """Names of the ports it listens on."""
        ...

    async def prepare(self, ports: Mapping[str, int]) -> Launch:
        """Write its configuration, make its files, and return how to run it.

        Raises:
            StackError: it cannot be run.
        """
        ...

    async def probe(self, ports: Mapping[str, int]) -> None:
        """Return when the server answers a request.

        Raises:
            NotReady: not yet; ask again.
            StackError: it never will.
        """
        ...
