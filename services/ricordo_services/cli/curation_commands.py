"""`ricordo pin|edit|feedback|verify|correct|reject|identify|note|end-session`: commands of a user."""

import json
from contextlib import suppress
from typing import Annotated, Any

from pydantic import JsonValue

from ricordo.messages.commands import CorrectReply, FeedbackReply
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.options import (
    Conversation,
    MemoryId,
    RequestId,
    Texts,
    User,
    argument,
    flag,
    given,
    option,
    repeated,
    reworded,
)
from ricordo_services.cli.output import print_text

FactId = Annotated[str, argument("ID", "Id of a fact: `ricordo facts --ids` shows it.")]
Target = Annotated[str, argument("ID", "Id of a fact: `ricordo facts --ids` shows it. See --memory.")]
OfMemory = Annotated[bool, flag("--memory", "The id is of a memory: `ricordo recall --ids` shows it.")]


async def pin(
    call: Call,
    memory_id: MemoryId,
    *,
    user: User,
    undo: Annotated[bool, flag("--undo", "Let it fade again.")] = False,
    request_id: RequestId = None,
) -> None:
    """Keep a memory from fading, or let it fade again.

    An archived memory leaves the archive.

    Examples:
        ricordo pin 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide
        ricordo pin 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide --undo
    """
    texts = {True: "pinned: it does not fade", False: "not pinned: it fades again"}
    await call.ask(
        lambda client: client.pin(user, memory_id, pinned=not undo, request_id=request_id),
        lambda reply: print_text(texts[reply.pinned]),
    )


async def edit(
    call: Call,
    memory_id: MemoryId,
    *,
    user: User,
    kind: Annotated[str | None, option("KIND", "message, note, agreement, problem or decision.")] = None,
    importance: Annotated[float | None, option("0..1", "How important it is.")] = None,
    tags: Annotated[Texts, repeated("TAG", "A tag; they replace all that it has", "--tag")] = None,
    no_tags: Annotated[bool, flag("--no-tags", "Remove all tags.")] = False,
    expires: Annotated[str | None, option("INSTANT", "When it is archived, or never.")] = None,
    request_id: RequestId = None,
) -> None:
    """Change the kind, importance, tags or expiry of a memory.

    What is set so is not derived again. The album shows the tag star as a star and category/NAME as a
    category.

    Examples:
        ricordo edit 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide --tag star --tag category/travel
        ricordo edit 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide --importance 0.9 --expires never
    """
    if no_tags and tags:
        raise Misused("--tag and --no-tags exclude each other")
    changes: dict[str, Any] = given(
        {"kind": kind, "importance": importance, "tags": [] if no_tags else tags, "expires_at": expires}
    )
    if not changes and not call.as_json:
        raise Misused("name what to change: --kind, --importance, --tag, --no-tags or --expires")
    if expires == "never":
        changes["expires_at"] = None
    await call.ask(
        lambda client: client.edit(user, memory_id, **changes, request_id=request_id),
        lambda _: print_text("changed"),
    )


async def feedback(
    call: Call,
    recall_id: Annotated[str, argument("RECALL", "Its id; `ricordo recall --ids` shows it.")],
    *,
    user: User,
    used: Annotated[Texts, repeated("MEMORY", "Id of a useful memory")] = None,
    irrelevant: Annotated[Texts, repeated("MEMORY", "Id of an irrelevant memory")] = None,
    request_id: RequestId = None,
) -> None:
    """Mark memories of a recall as useful or irrelevant.

    A used memory is strengthened once; an irrelevant one loses what the recall added. The last word counts.

    Examples:
        ricordo feedback 49ea8693-df48-462b-bcf1-825de507cfa4 --user davide --used $MEMORY
        ricordo feedback 49ea8693-df48-462b-bcf1-825de507cfa4 -u davide --irrelevant $MEMORY
    """
    # With --json, the contract's own error is printed.
    if not used and not irrelevant and not call.as_json:
        raise Misused("name a memory, with --used or --irrelevant")

    def show(reply: FeedbackReply) -> None:
        again = "" if reply.used or reply.irrelevant else ": this feedback was counted already"
        print_text(f"{reply.used} made stronger, {reply.irrelevant} made weaker{again}")

    await call.ask(
        lambda client: client.feedback(
            user, recall_id, used=used or (), irrelevant=irrelevant or (), request_id=request_id
        ),
        show,
    )


async def verify(
    call: Call,
    named: Target,
    *,
    user: User,
    no: Annotated[bool, flag("--no", "Withdraw the confirmation.")] = False,
    memory: OfMemory = False,
    request_id: RequestId = None,
) -> None:
    """Confirm a fact or a memory, or withdraw the confirmation.

    A confirmed fact is valid; messages can dispute it, but do not override it. --no withdraws a correction,
    too. A confirmed memory does not fade.

    Examples:
        ricordo verify 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 --user davide
        ricordo verify 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 --user davide --no
        ricordo verify 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --memory --user davide
    """
    target: dict[str, Any] = {"memory_id": named} if memory else {"fact_id": named}
    effect = "it does not fade" if memory else "messages can dispute it, but do not override it"
    await call.ask(
        lambda client: client.verify(user, verified=not no, **target, request_id=request_id),
        lambda reply: print_text(f"verified: {effect}" if reply.verified else "not verified"),
    )


async def correct(
    call: Call,
    named: Target,
    value: Annotated[
        str | None, argument("VALUE", "New value of the fact, or new text of the memory.")
    ] = None,
    *,
    user: User,
    memory: OfMemory = False,
    valid_from: Annotated[str | None, option("INSTANT", "Since when the fact holds.")] = None,
    valid_to: Annotated[str | None, option("INSTANT", "Until when it held, or never: it holds.")] = None,
    request_id: RequestId = None,
) -> None:
    """Correct a fact or a memory.

    The new value is valid and verified; the old one stays in the history as never valid. Times that are given
    win over what messages say. What was derived from the text of a memory is derived again;
    `ricordo history` keeps the original.

    Examples:
        ricordo correct 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 'San Donà di Piave' --user davide
        ricordo correct 47b5ef90-e7b7-56be-9896-dcb1dd467f99 'I live in Bari.' --memory --user davide
        ricordo correct 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 --valid-to 2024-06-30T00:00:00Z --user davide
    """
    times: dict[str, Any] = given({"valid_from": valid_from, "valid_to": valid_to})
    if value is None and not times and not call.as_json:
        raise Misused("give a VALUE, --valid-from or --valid-to")
    if valid_to == "never":
        times["valid_to"] = None
    of_memory, of_fact = {"memory_id": named, "content": value}, {"fact_id": named, "object": value}
    correction: dict[str, Any] = (of_memory if memory else of_fact) | times

    def show(reply: CorrectReply) -> None:
        if reply.memory_id is not None:
            print_text("corrected and verified; everything derived from it is derived again")
        elif reply.fact_id is None:
            print_text("this correction was withdrawn since")
        else:
            print_text(f"{value or 'it'} is valid and verified, as {reply.fact_id}")

    await call.ask(lambda client: client.correct(user, **correction, request_id=request_id), show)


async def reject(call: Call, named: FactId, *, user: User, request_id: RequestId = None) -> None:
    """Reject a fact that was read wrongly.

    It is removed, and not read again from the same words; other words may produce it again.

    Examples:
        ricordo reject 77e9b1a8-263f-5c50-84ce-3e85a5b925a5 --user davide
    """
    text = "rejected: it is removed, and not read again from the same words"
    await call.ask(
        lambda client: client.reject(user, named, request_id=request_id), lambda _: print_text(text)
    )


async def identify(
    call: Call,
    name: Annotated[str, argument("NAME", "A person or an animal.")],
    other: Annotated[str, argument("NAME", "Another name.")],
    *,
    user: User,
    apart: Annotated[bool, flag("--apart", "The names are of two.")] = False,
    undo: Annotated[bool, flag("--undo", "Withdraw the decision about them.")] = False,
    request_id: RequestId = None,
) -> None:
    """Decide that two names are, or are not, one person or animal.

    Names that are one share all facts. If two people share a name, qualify it, such as 'Marco (brother)'.

    Examples:
        ricordo identify Nico Nicola --user davide
        ricordo identify Leo 'Leo Rossi' --user davide --apart
    """
    if undo and apart:
        raise Misused("--apart and --undo exclude each other")
    same = None if undo else not apart
    decisions = {True: "are one", False: "are two", None: "are left to the rules"}
    await call.ask(
        lambda client: client.identify(user, (name, other), same=same, request_id=request_id),
        lambda reply: print_text(f"{name} and {other} {decisions[reply.same]}"),
    )


async def note(
    call: Call,
    key: Annotated[str, argument("KEY", "Key of the note.")],
    value: Annotated[str | None, argument("VALUE", "JSON, otherwise text.")] = None,
    *,
    user: User,
    conversation: Conversation,
    remove: Annotated[bool, flag("--remove", "Remove the note.")] = False,
    request_id: RequestId = None,
) -> None:
    """Set a note in the working memory of a conversation, or remove it.

    It stays for a day, or as long as RICORDO_LIFECYCLE__WORKING_MEMORY_H says.

    Examples:
        ricordo note order '{"number": 42}' --user davide --conversation c-1
        ricordo note order --remove --user davide --conversation c-1
    """
    if remove == (value is not None):
        raise Misused("give a VALUE, or --remove")
    noted: JsonValue = value
    with suppress(ValueError):  # a text
        noted = None if value is None else json.loads(value)
    effect = "is removed" if noted is None else "is set"
    await call.ask(
        lambda client: client.note(user, conversation, key, noted, request_id=request_id),
        lambda _: print_text(f"{key} {effect}"),
    )


async def end_session(
    call: Annotated[Call, reworded(as_json="Print what was done as a JSON object.")],
    conversation: Annotated[str, argument("CONVERSATION", "Its id.")],
    *,
    user: User,
    timestamp: Annotated[str | None, option("INSTANT", "When it ended, with offset. Default: now.")] = None,
) -> None:
    """End the session of a conversation.

    The session is summarised at once, not after half an hour of silence. Repeating the command is safe.

    Examples:
        ricordo end-session c-1 --user davide
    """
    async with call.client() as client:
        published = await client.end_session(user, conversation, timestamp)
    effect = "had ended already" if published.duplicate else "has ended: its summary follows"
    document = {"event_id": published.message_id, "duplicate": published.duplicate}
    call.print_result(document, f"{conversation} {effect}")
