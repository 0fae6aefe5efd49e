"""The servers that a command calls, by its options, the environment or the running stack."""

import json
import os
import re
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeVar

from ricordo.client import InvalidRequest, MemoryClient, RicordoError
from ricordo.client.addresses import checked_addresses
from ricordo.client.connection import Connection
from ricordo.messages.errors import ErrorBody
from ricordo.messages.message_types import ID_PATTERN, Message
from ricordo.messages.subjects import checked_tenant
from ricordo_services.cli.failures import Failed, Misused, sentence
from ricordo_services.cli.options import ServerOptions, offered
from ricordo_services.cli.output import print_json, print_line, print_text

NATS_VARIABLE: Final = "RICORDO_NATS_URL"
CA_VARIABLE: Final = "RICORDO_NATS_CA"
STACK_FILE: Final = "stack.json"
SECONDS: Final = 5.0

R = TypeVar("R", bound=Message)


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """The servers of a command.

    Attributes:
        stack: the `stack.json` of the local stack whose NATS it is; None if another way named the NATS.
    """

    url: str
    tenant: str
    named_by: str
    stack: Mapping[str, object] | None = None

    @asynccontextmanager
    async def connection(self, timeout: float | None = None) -> AsyncIterator[Connection]:
        """Connect for the length of an `async with`.

        Args:
            timeout: seconds, for the connection and for each answer; None for `SECONDS`.

        Raises:
            InvalidRequest: the CA certificate cannot be read.
            RicordoError: nobody answers there, or the credentials are refused.
        """
        ca = os.environ.get(CA_VARIABLE)
        seconds = SECONDS if timeout is None else timeout
        connection = await Connection.open(
            self.url, self.tenant, "/ricordo/cli", seconds, Path(ca) if ca else None
        )
        try:
            yield connection
        finally:
            await connection.close()


@dataclass(frozen=True, slots=True)
class Call(ServerOptions):
    """What a command works on: servers, and how its output is printed."""

    @property
    def folder(self) -> Path:
        """The data folder: the one that is named, or the default."""
        return self.data_dir or default_data_dir()

    @property
    def only_tenant(self) -> str | None:
        """The tenant that is named; None for all of them.

        Raises:
            Misused: the tenant is invalid.
        """
        try:
            return None if self.tenant is None else checked_tenant(self.tenant)
        except ValueError as error:
            raise Misused(str(error)) from None

    @property
    def target(self) -> ServerTarget:
        """The servers: `--nats`, then `RICORDO_NATS_URL`, then the stack of the data folder.

        Raises:
            Failed: nothing names them.
            Misused: the tenant or the URL is invalid.
        """
        tenant, stack = self.only_tenant or "default", None
        if self.nats is not None:
            url, named_by = self.nats, "--nats"
        elif self.data_dir is None and (variable := os.environ.get(NATS_VARIABLE)):
            url, named_by = variable, NATS_VARIABLE
        elif (stack := running_stack(self.folder)) is not None:
            url, named_by = str(stack["nats"]), f"the stack of {self.folder}"
        else:
            raise no_stack(self.folder, f"name a server with --nats or {NATS_VARIABLE}")
        return ServerTarget(checked_url(url, named_by), tenant, named_by, stack)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[MemoryClient]:
        """Connect as a bot does; with `as_json`, an error is printed on standard output too.

        Raises:
            Failed: nothing names the servers.
            Misused: the request is invalid.
            RicordoError: there was no reply.
        """
        target = self.target
        try:
            async with target.connection() as connection:
                yield MemoryClient(connection)
        except RicordoError as error:
            if self.as_json:
                body = ErrorBody.of(error.code, error.message, error.field)
                print_json(body.model_dump(mode="json"))
            if isinstance(error, InvalidRequest):
                raise Misused(sentence(error)) from None
            raise

    async def ask(self, request: Callable[[MemoryClient], Awaitable[R]], show: Callable[[R], None]) -> R:
        """Make a request of the client, print its reply as JSON or by `show`, and return it."""
        async with self.client() as client:
            reply = await request(client)
        self.print_reply(reply, show)
        return reply

    def print_reply(self, reply: R, show: Callable[[R], None]) -> None:
        """Print `reply` as JSON, or by `show`."""
        if self.as_json:
            print_line(reply.model_dump_json())
        else:
            show(reply)

    def print_result(self, document: Mapping[str, object], text: str) -> None:
        """Print `document` as JSON, or `text` for a person."""
        if self.as_json:
            print_json(document)
        else:
            print_text(text)


FolderCall = Annotated[Call, offered("data_dir")]
"""The call of a command on the data folder."""
FolderJsonCall = Annotated[Call, offered("data_dir", as_json="Print what was done as a JSON object.")]
"""The same, where the output has two forms."""
BusCall = Annotated[Call, offered("nats", "tenant", "data_dir")]
"""The call of a command on the bus with one form of output."""


def checked_url(url: str, named_by: str) -> str:
    """Return `url`, which `named_by` names.

    Raises:
        Misused: it is no address of NATS.
    """
    try:
        checked_addresses(url)
    except InvalidRequest as error:
        raise Misused(f"{named_by}: {error.message}") from None
    return url


def checked_user(user: str) -> None:
    """Refuse what is no id of a user."""
    if re.fullmatch(ID_PATTERN.removeprefix("^").removesuffix("$"), user, re.ASCII) is None:
        raise Misused("--user: an id has 1 to 128 printable ASCII characters, and no spaces")


def default_data_dir() -> Path:
    """Return `ricordo` in the user's data folder: `$XDG_DATA_HOME`, else `~/.local/share`."""
    named = os.environ.get("XDG_DATA_HOME", "")
    base = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"  # noqa: PTH117 - "" is no path
    return base / "ricordo"


def data_dir_option(folder: Path) -> str:
    """Return ` --data-dir FOLDER`, or "" for the default folder."""
    return "" if folder == default_data_dir() else f" --data-dir {shlex.quote(str(folder))}"


def no_stack(folder: Path, otherwise: str) -> Failed:
    """Return the error of a command that finds no stack on `folder`; what else would help is `otherwise`."""
    start = f"start one with `ricordo up{data_dir_option(folder)}`"
    return Failed(f"no stack runs on {folder}: {start}, or {otherwise}")


def running_stack(data_dir: Path) -> dict[str, object] | None:
    """Return the `stack.json` of `data_dir`, or None if no stack runs there."""
    try:  # by hand: the package of the stack takes longer to load than a question to be answered
        stack = json.loads((data_dir / STACK_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(stack, dict) or not isinstance(stack.get("nats"), str):
        return None
    try:
        if isinstance(pid := stack.get("pid"), int):
            os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass  # it runs, and is somebody else's
    return stack
