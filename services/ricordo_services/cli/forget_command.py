"""`ricordo forget`: erases a message, a conversation, a user, or all users of a tenant."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from uuid import uuid4

import typer
from rich.text import Text

from ricordo.client import MemoryClient, NoResponders, RicordoError, Timeout, Unavailable
from ricordo.messages.commands import Erased, ForgetReply
from ricordo_services.cli.client_calls import Call, ServerTarget, call_of
from ricordo_services.cli.command_options import DataDir, Json, Nats, RequestId, Tenant, flag, option
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.failures import Failed, Interrupted, Misused
from ricordo_services.cli.output import err_console, out_console, print_json
from ricordo_services.cli.reply_printing import plain

UNDER_WAY: Final = "the erasure is under way"
"""The beginning of a reply after which the request is repeated."""
_PAUSE_S: Final = 0.5
_SILENT: Final = 10  # times without an answer, after which nobody is waited for any more
_WHAT: Final[Mapping[str, str]] = {
    "rows": "messages and memories, derived ones too",
    "vectors": "vectors",
    "graph": "facts",
    "stream": "dead letters",
    "archive": "documents",
    "working": "notes",
}


@dataclass(frozen=True, slots=True)
class _ForgetTarget:
    """What is to be forgotten."""

    user: str | None
    message: str | None
    conversation: str | None
    tenant_wide: bool

    def check(self) -> None:
        """Check that the options go together."""
        if self.message is not None and self.conversation is not None:
            raise Misused("--message and --conversation exclude each other")
        if not self.tenant_wide and self.user is None:
            raise Misused("name whose memory with --user, or --tenant-wide for all users of the tenant")
        if self.tenant_wide and (self.user, self.message, self.conversation) != (None, None, None):
            raise Misused("--tenant-wide goes with no --user, --message or --conversation: it is all of them")

    def said(self, tenant: str) -> str:
        """Return what it is, in words."""
        if self.tenant_wide:
            return f"ALL USERS of the tenant {tenant}"
        of = f"of {plain(self.user or '')} in the tenant {tenant}"
        if self.message is not None:
            return f"the message {plain(self.message)} {of}"
        if self.conversation is not None:
            return f"the conversation {plain(self.conversation)} {of}"
        return f"ALL THAT IS HELD {of}"


async def forget(
    context: typer.Context,
    *,
    user: Annotated[str | None, option("--user -u", "ID", "Whose memory.")] = None,
    message: Annotated[str | None, option("--message", "ID", "This message only.")] = None,
    conversation: Annotated[str | None, option("--conversation", "ID", "This conversation only.")] = None,
    tenant_wide: Annotated[
        bool, flag("--tenant-wide", "All users of the tenant, one after the other.")
    ] = False,
    yes: Annotated[bool, flag("--yes -y", "Do not ask whether it is meant.")] = False,
    request_id: RequestId = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Erase a message, a conversation, or all that is held of a user."""
    wanted = _ForgetTarget(user, message, conversation, tenant_wide)
    wanted.check()
    if not yes and not sys.stdin.isatty():
        raise Misused("this cannot be undone, and there is no terminal to ask at: say --yes")
    call = call_of(context, nats, tenant, data_dir, as_json=as_json)
    users = _users(call.target, context, data_dir) if tenant_wide else _one(user or "")
    if not yes:
        _ask(wanted.said(call.target.tenant))
    request = request_id or f"forget-{uuid4()}"
    try:
        async with call.client() as client, aclosing(users):
            await _all(client, call, users, wanted, request)
    except asyncio.CancelledError:
        raise Interrupted("what was asked for is erased all the same; ask again to see it done") from None


async def _all(
    client: MemoryClient, call: Call, users: AsyncIterator[str], wanted: _ForgetTarget, request: str
) -> None:
    """Forget for each user, and report."""
    erased, number = Erased(), 0
    async for user in users:
        reply = await _forgotten(client, user, wanted, request)
        erased, number = _sum(erased, reply.erased), number + 1
    if wanted.tenant_wide and call.as_json:
        print_json({"ok": True, "users": number, "erased": erased.model_dump()})
        return
    beside = f"{number} users: " if wanted.tenant_wide else ""
    call.print_reply(ForgetReply(erased=erased), lambda done: _show(done.erased, beside))


async def _forgotten(client: MemoryClient, user: str, wanted: _ForgetTarget, request: str) -> ForgetReply:
    """Repeat the request until all is erased: a long erasure goes on after a timeout."""
    silent, begun = 0, False
    while True:
        try:
            return await client.forget(
                user, message_id=wanted.message, conversation_id=wanted.conversation, request_id=request
            )
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


async def _one(user: str) -> AsyncGenerator[str, None]:
    yield user


def _users(target: ServerTarget, context: typer.Context, data_dir: Path | None) -> AsyncGenerator[str, None]:
    """Return what yields the users of the tenant of `target`, whom the PostgreSQL beside it knows."""
    settings = stores_of_target(target, context, data_dir)
    from ricordo_services.app import jobs  # noqa: PLC0415 - takes seconds to load, and a wrong option needs none

    return jobs.users_held(settings, target.tenant)


def _ask(what: str) -> None:
    """Return where a person means it."""
    err_console().print(Text(f"This erases {what}, everywhere and for good.", "bold"), soft_wrap=True)
    try:
        meant = typer.confirm("Forget it?", default=False, err=True)
    except typer.Abort:
        meant = False
    if not meant:
        raise Failed("nothing was forgotten")


def _sum(one: Erased, other: Erased) -> Erased:
    return Erased(**{name: getattr(one, name) + getattr(other, name) for name in Erased.model_fields})


def _show(erased: Erased, beside: str) -> None:
    counts = [f"{getattr(erased, name)} {what}" for name, what in _WHAT.items() if getattr(erased, name)]
    said = f"{beside}erased: {'; '.join(counts)}" if counts else f"{beside}nothing of it was held"
    out_console().print(Text(said), soft_wrap=True)
