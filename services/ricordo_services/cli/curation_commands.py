"""`ricordo pin|feedback|verify|correct|reject|identify|note|end-session|forget`: commands of a user."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Final
from uuid import uuid4

import typer
from pydantic import JsonValue

from ricordo.client import NoResponders, RicordoError, Timeout, Unavailable
from ricordo.messages.commands import Erased, ForgetReply
from ricordo.settings import Settings
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.failures import Failed, Interrupted, Misused
from ricordo_services.cli.output import counted, print_json, print_remark, print_text

_SAME: Final = {True: "are one", False: "are two", None: "are left to the rules"}


async def pin(
    call: Call, memory_id: str, *, user: str, undo: bool = False, request_id: str | None = None
) -> None:
    """Keep a memory from fading, or let it fade again."""
    async with call.client() as client:
        reply = await client.pin(user, memory_id, pinned=not undo, request_id=request_id)
    text = "pinned: it does not fade" if reply.pinned else "not pinned: it fades again"
    call.print_reply(reply, lambda _: print_text(text))


async def feedback(
    call: Call,
    recall_id: str,
    *,
    user: str,
    used: list[str] | None = None,
    irrelevant: list[str] | None = None,
    request_id: str | None = None,
) -> None:
    """Mark memories of a recall as useful or irrelevant."""
    if not used and not irrelevant and not call.as_json:  # with --json, the contract's own error is printed
        raise Misused("name a memory, with --used or --irrelevant")
    async with call.client() as client:
        reply = await client.feedback(
            user, recall_id, used=used or (), irrelevant=irrelevant or (), request_id=request_id
        )
    text = f"{reply.used} made stronger, {reply.irrelevant} made weaker"
    if not reply.used and not reply.irrelevant:
        text += ": this feedback was counted already"
    call.print_reply(reply, lambda _: print_text(text))


async def verify(
    call: Call,
    named: str,
    *,
    user: str,
    no: bool = False,
    memory: bool = False,
    request_id: str | None = None,
) -> None:
    """Confirm a fact or a memory, or take the confirmation back."""
    async with call.client() as client:
        if memory:
            reply = await client.verify(user, memory_id=named, verified=not no, request_id=request_id)
        else:
            reply = await client.verify(user, fact_id=named, verified=not no, request_id=request_id)
    effect = "it does not fade" if memory else "messages can dispute it, but do not override it"
    call.print_reply(
        reply, lambda found: print_text(f"verified: {effect}" if found.verified else "not verified")
    )


async def correct(
    call: Call, named: str, value: str, *, user: str, memory: bool = False, request_id: str | None = None
) -> None:
    """Correct a fact or a memory."""
    async with call.client() as client:
        if memory:
            reply = await client.correct(user, memory_id=named, content=value, request_id=request_id)
        else:
            reply = await client.correct(user, fact_id=named, object=value, request_id=request_id)
    if reply.memory_id is not None:
        text = "corrected and verified; everything derived from it is derived again"
    elif reply.fact_id is None:
        text = "this correction was withdrawn since"
    else:
        text = f"{value} is valid and verified, as {reply.fact_id}"
    call.print_reply(reply, lambda _: print_text(text))


async def reject(call: Call, named: str, *, user: str, request_id: str | None = None) -> None:
    """Reject a fact that was read wrongly."""
    async with call.client() as client:
        reply = await client.reject(user, named, request_id=request_id)
    text = "rejected: it is removed, and not read again from the same words"
    call.print_reply(reply, lambda _: print_text(text))


async def identify(
    call: Call,
    name: str,
    other: str,
    *,
    user: str,
    apart: bool = False,
    undo: bool = False,
    request_id: str | None = None,
) -> None:
    """Say that two names are, or are not, one person or animal."""
    if apart and undo:
        raise Misused("--apart and --undo exclude each other")
    same = None if undo else not apart
    async with call.client() as client:
        reply = await client.identify(user, (name, other), same=same, request_id=request_id)
    call.print_reply(reply, lambda found: print_text(f"{name} and {other} {_SAME[found.same]}"))


async def note(
    call: Call,
    key: str,
    value: str | None = None,
    *,
    user: str,
    conversation: str,
    remove: bool = False,
    request_id: str | None = None,
) -> None:
    """Set a note in the working memory of a conversation, or remove it."""
    if remove == (value is not None):
        raise Misused("give a VALUE, or --remove")
    noted: JsonValue = value
    if value is not None:
        try:
            noted = json.loads(value)
        except ValueError:  # a text
            noted = value
    async with call.client() as client:
        reply = await client.note(user, conversation, key, noted, request_id=request_id)
    effect = "is removed" if noted is None else "is set"
    call.print_reply(reply, lambda _: print_text(f"{key} {effect}"))


async def end_session(call: Call, conversation: str, *, user: str, timestamp: str | None = None) -> None:
    """End the session of a conversation."""
    async with call.client() as client:
        published = await client.end_session(user, conversation, timestamp)
    if call.as_json:
        print_json({"event_id": published.message_id, "duplicate": published.duplicate})
    else:
        effect = "had ended already" if published.duplicate else "has ended: its summary follows"
        print_text(f"{conversation} {effect}")


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
