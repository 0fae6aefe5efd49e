"""`ricordo forget`: erases a message, a conversation, a user, or all users of a tenant."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

import typer

from ricordo.client import MemoryClient, NoResponders, RicordoError, Timeout, Unavailable
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


@dataclass(frozen=True, slots=True)
class _Scope:
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
            raise Misused("--tenant-wide excludes --user, --message and --conversation")

    def describe(self, tenant: str) -> str:
        """Return what it is, in words."""
        if self.tenant_wide:
            return f"ALL USERS of the tenant {tenant}"
        owner = f"of {self.user} in the tenant {tenant}"
        if self.message is not None:
            return f"the message {self.message} {owner}"
        if self.conversation is not None:
            return f"the conversation {self.conversation} {owner}"
        return f"ALL DATA {owner}"


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
    scope = _Scope(user, message, conversation, tenant_wide)
    scope.check()
    if not yes and not sys.stdin.isatty():
        raise Misused("this cannot be undone, and there is no terminal for a confirmation: add --yes")
    tenant = call.target.tenant
    settings = stores_of_target(call) if tenant_wide else None
    if not yes:
        _confirm(scope.describe(tenant))
    request = request_id or f"forget-{uuid4()}"
    erased, number = Erased(), 0
    try:
        async with call.client() as client, aclosing(_users(user, settings, tenant)) as users:
            async for each in users:
                reply = await _forget(client, each, scope, request)
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


async def _forget(client: MemoryClient, user: str, scope: _Scope, request: str) -> ForgetReply:
    """Repeat the request until all is erased: a long erasure goes on after a timeout."""
    silent, begun = 0, False
    while True:
        try:
            return await client.forget(
                user, message_id=scope.message, conversation_id=scope.conversation, request_id=request
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
