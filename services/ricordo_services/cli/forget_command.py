"""`ricordo forget`: erases a message, a memory, a conversation, a user, or all users of a tenant."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Annotated, Any, Final
from uuid import uuid4

import typer

from ricordo.client import MemoryClient, NoResponders, RicordoError, Timeout, Unavailable
from ricordo.messages.commands import Erased, ForgetReply
from ricordo.settings import Settings
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.failures import Failed, Interrupted, Misused
from ricordo_services.cli.options import RequestId, flag, option
from ricordo_services.cli.output import counted, print_remark

UNDER_WAY: Final = "the erasure is under way"
"""The beginning of a reply after which the request is repeated."""
_PAUSE_S: Final = 0.5
_SILENT: Final = 10  # times without an answer, after which nobody is waited for any more
_WHAT: Final[Mapping[str, str]] = {
    "rows": "rows of messages and memories",
    "vectors": "vectors",
    "graph": "facts",
    "stream": "dead letters",
    "archive": "documents",
    "working": "notes",
}


async def forget(
    call: Call,
    *,
    user: Annotated[str | None, option("ID", "Id of the user.", "--user", "-u")] = None,
    message: Annotated[str | None, option("ID", "This message only.")] = None,
    conversation: Annotated[str | None, option("ID", "This conversation only.")] = None,
    memory: Annotated[str | None, option("ID", "This memory only; of a message: with that.")] = None,
    tenant_wide: Annotated[bool, flag("--tenant-wide", "All users of the tenant.")] = False,
    yes: Annotated[bool, flag("--yes -y", "Do not ask for confirmation.")] = False,
    request_id: RequestId = None,
) -> None:
    """Erase a message, a memory, a conversation or a user permanently.

    Erases messages and everything derived from them. A summary or another derived memory goes alone, and is
    not made again from the same memories. Without a terminal, --yes is required.

    Examples:
        ricordo forget --user davide --message m-1
        ricordo forget --user davide --conversation c-1 --yes
        ricordo forget --tenant-wide --tenant acme
    """
    parts = {"message": message, "conversation": conversation, "memory": memory}
    part = {name: value for name, value in parts.items() if value is not None}
    _check(user, part, tenant_wide=tenant_wide)
    if not yes and not sys.stdin.isatty():
        raise Misused("this cannot be undone, and there is no terminal for a confirmation: add --yes")
    tenant = call.target.tenant
    settings = stores_of_target(call) if tenant_wide else None
    if not yes:
        what = " ".join(("the", *next(iter(part.items())))) if part else "ALL DATA"
        of_one = f"{what} of {user} in the tenant {tenant}"
        _confirm(f"ALL USERS of the tenant {tenant}" if tenant_wide else of_one)
    request = request_id or f"forget-{uuid4()}"
    erased, number = dict.fromkeys(Erased.model_fields, 0), 0
    try:
        async with call.client() as client, aclosing(_users(user, settings, tenant)) as users:
            async for each in users:
                reply = await _forget(client, each, part, request)
                erased = {name: count + getattr(reply.erased, name) for name, count in erased.items()}
                number += 1
    except asyncio.CancelledError:
        raise Interrupted("the erasure continues; run the command again to see its end") from None
    counts = [counted(erased[name], what) for name, what in _WHAT.items() if erased[name]]
    text = f"erased: {'; '.join(counts)}" if counts else "nothing was stored of it"
    prefix = f"{counted(number, 'users')}: " if tenant_wide else ""
    size = {"users": number} if tenant_wide else {}
    call.print_result({"ok": True, **size, "erased": erased}, f"{prefix}{text}")


def _check(user: str | None, part: Mapping[str, str], *, tenant_wide: bool) -> None:
    """Check that the options go together."""
    if len(part) > 1:
        raise Misused(f"{' and '.join(f'--{name}' for name in part)} exclude each other")
    if not tenant_wide and user is None:
        raise Misused("name whose memory with --user, or --tenant-wide for all users of the tenant")
    if tenant_wide and (part or user is not None):
        raise Misused("--tenant-wide excludes --user, --message, --conversation and --memory")


async def _forget(client: MemoryClient, user: str, part: Mapping[str, str], request: str) -> ForgetReply:
    """Repeat the request until all is erased: a long erasure goes on after a timeout."""
    silent, begun = 0, False
    while True:
        try:
            scope: dict[str, Any] = {f"{name}_id": value for name, value in part.items()}
            return await client.forget(user, **scope, request_id=request)
        except NoResponders as error:
            raise (_unfinished(error) if begun or silent else error) from None
        except Unavailable as error:
            begun = True
            if not error.message.startswith(UNDER_WAY):
                raise _unfinished(error) from None
        except Timeout as error:
            silent += 1
            if silent == _SILENT:
                raise _unfinished(error) from None
        await asyncio.sleep(_PAUSE_S)


def _unfinished(error: RicordoError) -> RicordoError:
    return type(error)(f"{error.message}; it may be erased in part: run it again", error.field)


async def _users(user: str | None, settings: Settings | None, tenant: str) -> AsyncGenerator[str, None]:
    """Yield the user; with settings, all users of the tenant whom their PostgreSQL knows."""
    if settings is None:
        yield user or ""
        return
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    async with aclosing(jobs.stored_users(settings, tenant)) as users:
        async for each in users:
            yield each


def _confirm(description: str) -> None:
    """Ask whether it is meant; raise if it is not."""
    print_remark(f"This erases {description}, permanently.", "bold")
    with suppress(typer.Abort):
        if typer.confirm("Forget it?", default=False, err=True):
            return
    raise Failed("nothing was forgotten")
