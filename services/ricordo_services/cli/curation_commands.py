"""`ricordo pin|feedback|verify|correct|reject|identify|note|end-session|forget`: commands of a user."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Final
from uuid import uuid4

import typer
from pydantic import JsonValue

from ricordo.client import MemoryClient, NoResponders, RicordoError, Timeout, Unavailable
from ricordo.messages.commands import CorrectReply, Erased, FeedbackReply, ForgetReply
from ricordo.settings import Settings
from ricordo_services.cli.client_calls import Call, Option
from ricordo_services.cli.command_settings import stores_of_target
from ricordo_services.cli.failures import Failed, Interrupted, Misused
from ricordo_services.cli.output import counted, print_remark, print_text


async def pin(call: Call, memory_id: str, *, user: str, undo: bool = False, **options: Option) -> None:
    """Keep a memory from fading, or let it fade again."""
    texts = {True: "pinned: it does not fade", False: "not pinned: it fades again"}
    await call.ask(
        lambda memory: memory.pin(user, memory_id, pinned=not undo, **options),
        lambda reply: print_text(texts[reply.pinned]),
    )


async def feedback(call: Call, recall_id: str, *, user: str, **options: Option) -> None:
    """Mark memories of a recall as useful or irrelevant."""
    options |= {"used": options["used"] or (), "irrelevant": options["irrelevant"] or ()}
    # With --json, the contract's own error is printed.
    if not options["used"] and not options["irrelevant"] and not call.as_json:
        raise Misused("name a memory, with --used or --irrelevant")

    def show(reply: FeedbackReply) -> None:
        again = "" if reply.used or reply.irrelevant else ": this feedback was counted already"
        print_text(f"{reply.used} made stronger, {reply.irrelevant} made weaker{again}")

    await call.ask(lambda memory: memory.feedback(user, recall_id, **options), show)


async def verify(
    call: Call, named: str, *, user: str, no: bool = False, memory: bool = False, **options: Option
) -> None:
    """Confirm a fact or a memory, or take the confirmation back."""
    options |= {"memory_id": named} if memory else {"fact_id": named}
    effect = "it does not fade" if memory else "messages can dispute it, but do not override it"
    await call.ask(
        lambda client: client.verify(user, verified=not no, **options),
        lambda reply: print_text(f"verified: {effect}" if reply.verified else "not verified"),
    )


async def correct(
    call: Call, named: str, value: str, *, user: str, memory: bool = False, **options: Option
) -> None:
    """Correct a fact or a memory."""
    options |= {"memory_id": named, "content": value} if memory else {"fact_id": named, "object": value}

    def show(reply: CorrectReply) -> None:
        if reply.memory_id is not None:
            print_text("corrected and verified; everything derived from it is derived again")
        elif reply.fact_id is None:
            print_text("this correction was withdrawn since")
        else:
            print_text(f"{value} is valid and verified, as {reply.fact_id}")

    await call.ask(lambda client: client.correct(user, **options), show)


async def reject(call: Call, named: str, *, user: str, **options: Option) -> None:
    """Reject a fact that was read wrongly."""
    text = "rejected: it is removed, and not read again from the same words"
    await call.ask(lambda memory: memory.reject(user, named, **options), lambda _: print_text(text))


async def identify(
    call: Call, name: str, other: str, *, user: str, apart: bool = False, **options: Option
) -> None:
    """Say that two names are, or are not, one person or animal."""
    if (undo := options.pop("undo")) and apart:
        raise Misused("--apart and --undo exclude each other")
    options["same"] = None if undo else not apart
    decisions = {True: "are one", False: "are two", None: "are left to the rules"}
    await call.ask(
        lambda memory: memory.identify(user, (name, other), **options),
        lambda reply: print_text(f"{name} and {other} {decisions[reply.same]}"),
    )


async def note(
    call: Call, key: str, value: str | None = None, *, user: str, conversation: str, **options: Option
) -> None:
    """Set a note in the working memory of a conversation, or remove it."""
    if options.pop("remove") == (value is not None):
        raise Misused("give a VALUE, or --remove")
    noted: JsonValue = value
    with suppress(ValueError):  # a text
        noted = None if value is None else json.loads(value)
    effect = "is removed" if noted is None else "is set"
    await call.ask(
        lambda memory: memory.note(user, conversation, key, noted, **options),
        lambda _: print_text(f"{key} {effect}"),
    )


async def end_session(call: Call, conversation: str, *, user: str, timestamp: str | None = None) -> None:
    """End the session of a conversation."""
    async with call.client() as client:
        published = await client.end_session(user, conversation, timestamp)
    effect = "had ended already" if published.duplicate else "has ended: its summary follows"
    document = {"event_id": published.message_id, "duplicate": published.duplicate}
    call.print_result(document, f"{conversation} {effect}")


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
    erased, number = dict.fromkeys(Erased.model_fields, 0), 0
    try:
        async with call.client() as client, aclosing(_users(user, settings, tenant)) as users:
            async for each in users:
                reply = await _forget(client, each, message, conversation, request)
                erased = {name: count + getattr(reply.erased, name) for name, count in erased.items()}
                number += 1
    except asyncio.CancelledError:
        raise Interrupted("the erasure continues; run the command again to see its end") from None
    counts = [counted(erased[name], what) for name, what in _WHAT.items() if erased[name]]
    text = f"erased: {'; '.join(counts)}" if counts else "nothing was stored of it"
    prefix = f"{counted(number, 'users')}: " if tenant_wide else ""
    size = {"users": number} if tenant_wide else {}
    call.print_result({"ok": True, **size, "erased": erased}, f"{prefix}{text}")


def _check(user: str | None, message: str | None, conversation: str | None, *, tenant_wide: bool) -> None:
    """Check that the options go together."""
    if message is not None and conversation is not None:
        raise Misused("--message and --conversation exclude each other")
    if not tenant_wide and user is None:
        raise Misused("name whose memory with --user, or --tenant-wide for all users of the tenant")
    if tenant_wide and (user, message, conversation) != (None, None, None):
        raise Misused("--tenant-wide excludes --user, --message and --conversation")


async def _forget(
    client: MemoryClient, user: str, message: str | None, conversation: str | None, request: str
) -> ForgetReply:
    """Repeat the request until all is erased: a long erasure goes on after a timeout."""
    silent, begun = 0, False
    while True:
        try:
            return await client.forget(
                user, message_id=message, conversation_id=conversation, request_id=request
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
    with suppress(typer.Abort):
        if typer.confirm("Forget it?", default=False, err=True):
            return
    raise Failed("nothing was forgotten")
