"""`ricordo forget`: erases a message, a conversation, a user, or all users of a tenant."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Final
from uuid import uuid4

import typer

from ricordo.client import NoResponders, RicordoError, Timeout, Unavailable
from ricordo.messages.commands import Erased, ForgetReply
from ricordo.settings import Settings
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.failures import Failed, Interrupted, Misused
from ricordo_services.cli.output import counted, print_json, print_remark, print_text

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


def _check(user: str | None, message: str | None, conversation: str | None, *, tenant_wide: bool) -> None:
    """Check that the options go together."""
    if message is not None and conversation is not None:
        raise Misused("--message and --conversation exclude each other")
    if not tenant_wide and user is None:
        raise Misused("name whose memory with --user, or --tenant-wide for all users of the tenant")
    if tenant_wide and (user, message, conversation) != (None, None, None):
        raise Misused("--tenant-wide excludes --user, --message and --conversation")


async def forget(
    call: Call,
    *,
    user: str | None = None,
    message: str | None = None,
    conversation: str | None = None,
    tenant_wide: bool = False,
    yes: bool = False,
    request_id: str | None = None,
) -> None:
    """Erase a message, a conversation or a user, for good."""
    _check(user, message, conversation, tenant_wide=tenant_wide)
    if not yes and not sys.stdin.isatty():
        raise Misused("this cannot be undone, and there is no terminal for a confirmation: add --yes")
    tenant = call.target.tenant
    settings = stores_of_target(call) if tenant_wide else None
    if not yes:
        part = "ALL DATA" if conversation is None else f"the conversation {conversation}"
        part = part if message is None else f"the message {message}"
        of_one = f"{part} of {user} in the tenant {tenant}"
        _confirm(f"ALL USERS of the tenant {tenant}" if tenant_wide else of_one)
    request = request_id or f"forget-{uuid4()}"
    erased, number = Erased(), 0
    try:
        async with call.client() as client, aclosing(_users(user, settings, tenant)) as users:
            async for each in users:
                reply = await _forget(
                    partial(
                        client.forget,
                        each,
                        message_id=message,
                        conversation_id=conversation,
                        request_id=request,
                    )
                )
                fields = Erased.model_fields
                erased = Erased(
                    **{name: getattr(erased, name) + getattr(reply.erased, name) for name in fields}
                )
                number += 1
    except asyncio.CancelledError:
        raise Interrupted("the erasure continues; run the command again to see its end") from None
    if tenant_wide and call.as_json:
        print_json({"ok": True, "users": number, "erased": erased.model_dump()})
        return
    counts = [counted(getattr(erased, name), what) for name, what in _WHAT.items() if getattr(erased, name)]
    text = f"erased: {'; '.join(counts)}" if counts else "nothing was stored of it"
    prefix = f"{counted(number, 'users')}: " if tenant_wide else ""
    call.print_reply(ForgetReply(erased=erased), lambda _: print_text(f"{prefix}{text}"))


async def _forget(ask: Callable[[], Awaitable[ForgetReply]]) -> ForgetReply:
    """Repeat the request until all is erased: a long erasure goes on after a timeout."""
    silent, begun = 0, False
    while True:
        try:
            return await ask()
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
    try:
        meant = typer.confirm("Forget it?", default=False, err=True)
    except typer.Abort:
        meant = False
    if not meant:
        raise Failed("nothing was forgotten")
