"""Finds the servers of a command, and makes its calls."""

import functools
import inspect
import json
import os
import shlex
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import typer

from ricordo.client import InvalidRequest, MemoryClient, RicordoError
from ricordo.client.addresses import checked_addresses
from ricordo.client.connection import Connection
from ricordo.messages.errors import ErrorBody
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import checked_tenant
from ricordo_services.cli.command_options import DataDir, Json, Nats, Tenant, default_data_dir, global_options
from ricordo_services.cli.failures import Failed, Misused, sentence
from ricordo_services.cli.output import print_json, print_line

NATS_VARIABLE: Final = "RICORDO_NATS_URL"
CA_VARIABLE: Final = "RICORDO_NATS_CA"
STACK_FILE: Final = "stack.json"
SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """The servers of a command."""

    url: str
    tenant: str
    named_by: str

    @asynccontextmanager
    async def connection(self, timeout: float = SECONDS) -> AsyncIterator[Connection]:
        """Connect for the length of an `async with`.

        Args:
            timeout: seconds, for the connection and for each answer.

        Raises:
            RicordoError: nobody answers there, or the credentials are refused.
        """
        ca = os.environ.get(CA_VARIABLE)
        connection = await Connection.open(
            self.url, self.tenant, "/ricordo/cli", timeout, Path(ca) if ca else None
        )
        try:
            yield connection
        finally:
            await connection.close()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[MemoryClient]:
        """Connect as a bot does; see `connection`."""
        async with self.connection() as connection:
            yield MemoryClient(connection)


def target(
    context: typer.Context, nats: str | None, tenant: str | None, data_dir: Path | None
) -> ServerTarget:
    """Find the servers of a command: `--nats`, then `RICORDO_NATS_URL`, then the stack of the data folder."""
    outer = global_options(context)
    try:
        whose = checked_tenant(tenant or outer.tenant or "default")
    except ValueError as error:
        raise Misused(str(error)) from None
    url, named_by = _address(nats if nats is not None else outer.nats, data_dir or outer.data_dir)
    return ServerTarget(checked_url(url, named_by), whose, named_by)


def checked_url(url: str, named_by: str) -> str:
    """Return `url`, which `named_by` names."""
    try:
        checked_addresses(url)
    except InvalidRequest as error:
        raise Misused(f"{named_by}: {error.message}") from None
    return url


def _address(nats: str | None, data_dir: Path | None) -> tuple[str, str]:
    if nats is not None:
        return nats, "--nats"
    if data_dir is None and (url := os.environ.get(NATS_VARIABLE)):
        return url, NATS_VARIABLE
    folder = data_dir or default_data_dir()
    stack = running_stack(folder)
    if stack is None:
        raise Failed(
            f"no stack runs on {folder}: start one with `ricordo up{data_dir_option(folder)}`, "
            f"or name a server with --nats or {NATS_VARIABLE}"
        )
    return str(stack["nats"]), f"the stack of {folder}"


def data_dir_option(folder: Path) -> str:
    """Return ` --data-dir FOLDER`, or "" for the default folder."""
    return "" if folder == default_data_dir() else f" --data-dir {shlex.quote(str(folder))}"


def running_stack(data_dir: Path) -> dict[str, object] | None:
    """Return the `stack.json` of `data_dir`, or None if no stack runs there."""
    try:  # by hand: the package of the stack takes longer to load than a question to be answered
        stack = json.loads((data_dir / STACK_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(stack, dict) or not isinstance(stack.get("nats"), str):
        return None
    pid = stack.get("pid")
    return stack if not isinstance(pid, int) or _is_alive(pid) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


R = TypeVar("R", bound=Message)


@dataclass(frozen=True, slots=True)
class Call:
    """A request of a command, and the form in which its reply is printed.

    Attributes:
        find: returns the servers; raises `Failed` where nothing names them.
    """

    find: Callable[[], ServerTarget]
    as_json: bool

    @property
    def target(self) -> ServerTarget:
        """The servers."""
        return self.find()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[MemoryClient]:
        """Connect; with `as_json`, an error is printed on standard output too.

        Raises:
            Failed: nothing names the servers.
            Misused: the request is invalid.
            RicordoError: there was no reply.
        """
        target = self.find()
        try:
            async with target.client() as client:
                yield client
        except RicordoError as error:
            if self.as_json:
                body = ErrorBody.of(error.code, error.message, error.field)
                print_json(body.model_dump(mode="json"))
            if isinstance(error, InvalidRequest):
                raise Misused(sentence(error)) from None
            raise

    def print_reply(self, reply: R, show: Callable[[R], None]) -> None:
        """Print `reply` as JSON, or by `show`."""
        if self.as_json:
            print_line(reply.model_dump_json())
        else:
            show(reply)


def call_of(
    context: typer.Context, nats: str | None, tenant: str | None, data_dir: Path | None, *, as_json: bool
) -> Call:
    """Return the call of a command with these options."""
    found = target(context, nats, tenant, data_dir)
    return Call(lambda: found, as_json)


_CLIENT_OPTIONS: Final = {"nats": Nats, "tenant": Tenant, "data_dir": DataDir, "as_json": Json}

AsyncCommand = Callable[..., Coroutine[Any, Any, None]]


def rpc_command(command: AsyncCommand) -> AsyncCommand:
    """Return `command` with the options of a client in place of its first argument, a `Call`."""

    @functools.wraps(command)
    async def run(context: typer.Context, **kwargs: Any) -> None:  # noqa: ANN401 - the options of any command
        nats, tenant, data_dir, as_json = (kwargs.pop(name) for name in _CLIENT_OPTIONS)
        await command(Call(lambda: target(context, nats, tenant, data_dir), as_json), **kwargs)

    keyword = inspect.Parameter.KEYWORD_ONLY
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    own = list(inspect.signature(command).parameters.values())[1:]
    options = [
        inspect.Parameter(name, keyword, default=False if name == "as_json" else None, annotation=annotation)
        for name, annotation in _CLIENT_OPTIONS.items()
    ]
    # Where `inspect.signature` looks, and so Typer.
    run.__signature__ = inspect.Signature([first, *own, *options])  # type: ignore[attr-defined]
    return run
