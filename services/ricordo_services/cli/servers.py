"""Where the servers are: named by an option, by the environment, or by the stack of this machine."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from ricordo.client import MemoryClient
from ricordo.messages.subjects import checked_tenant
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.folders import default_data_dir
from ricordo_services.cli.globals import Globals

NATS_VARIABLE: Final = "RICORDO_NATS_URL"
STACK_FILE: Final = "stack.json"


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a command speaks to.

    Attributes:
        url: of NATS, credentials inside it when there are any.
        tenant: whose memories.
        named_by: where the address was found, in words.
    """

    url: str
    tenant: str
    named_by: str

    @asynccontextmanager
    async def client(self, timeout: float = 5.0) -> AsyncIterator[MemoryClient]:
        """Connect for the length of an `async with`.

        Raises:
            RicordoError: nobody answers there, or the credentials are refused.
        """
        async with MemoryClient.connect(
            self.url, self.tenant, source="/ricordo/cli", timeout=timeout
        ) as client:
            yield client


def target(context: typer.Context, nats: str | None, tenant: str | None, data_dir: Path | None) -> Target:
    """Find the servers of a command: `--nats`, then `RICORDO_NATS_URL`, then the stack of the data folder.

    Raises:
        Misused: an impossible tenant.
        Failed: nothing names a server, or the stack that did is gone.
    """
    outer = context.find_object(Globals) or Globals()
    try:
        whose = checked_tenant(tenant or outer.tenant or "default")
    except ValueError as error:
        raise Misused(str(error)) from None
    url, named_by = _address(nats or outer.nats, data_dir)
    return Target(url, whose, named_by)


def _address(nats: str | None, data_dir: Path | None) -> tuple[str, str]:
    if nats:
        return nats, "--nats"
    if data_dir is None and (url := os.environ.get(NATS_VARIABLE)):
        return url, NATS_VARIABLE
    folder = data_dir or default_data_dir()
    stack = running_stack(folder)
    if stack is None:
        raise Failed(
            f"no stack runs on {folder}: start one with `ricordo up`, "
            f"or name a server with --nats or {NATS_VARIABLE}"
        )
    return str(stack["nats"]), f"the stack of {folder}"


def running_stack(data_dir: Path) -> dict[str, object] | None:
    """Return what the stack of `data_dir` says of itself, or None when none runs there."""
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
