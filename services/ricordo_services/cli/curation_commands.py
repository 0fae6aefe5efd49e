"""`ricordo pin|feedback|verify|correct|reject|identify|note|end-session`: commands of a user."""

import json
from typing import Final

from pydantic import JsonValue

from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.output import print_json, print_text

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
