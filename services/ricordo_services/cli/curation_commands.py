"""`ricordo pin|feedback|verify|correct|reject|identify`: what a user says about memories and facts."""

from typing import Annotated

from rich.text import Text

from ricordo.messages.commands import (
    CorrectReply,
    FeedbackReply,
    IdentifyReply,
    PinReply,
    RejectFactReply,
    VerifyReply,
)
from ricordo_services.cli.client_calls import Call, rpc_command
from ricordo_services.cli.command_options import RequestId, User, argument, flag, option
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.output import out_console
from ricordo_services.cli.reply_printing import plain


@rpc_command
async def pin(
    call: Call,
    memory_id: Annotated[str, argument("MEMORY", "Its id: `ricordo recall --ids` shows it.")],
    *,
    user: User,
    undo: Annotated[bool, flag("--undo", "Let it fade again.")] = False,
    request_id: RequestId = None,
) -> None:
    """Keep a memory from fading, or let it fade again."""
    async with call.client() as client:
        reply = await client.pin(user, memory_id, pinned=not undo, request_id=request_id)
    call.print_reply(reply, _show_pinned)


@rpc_command
async def feedback(
    call: Call,
    recall_id: Annotated[str, argument("RECALL", "Its id: `ricordo recall --ids` shows it.")],
    *,
    user: User,
    used: Annotated[
        list[str] | None, option("--used", "MEMORY", "One that was of use; may be repeated.")
    ] = None,
    irrelevant: Annotated[
        list[str] | None, option("--irrelevant", "MEMORY", "One that was not; may be repeated.")
    ] = None,
    request_id: RequestId = None,
) -> None:
    """Say which memories of a recall were of use, and which were not."""
    if not used and not irrelevant and not call.as_json:  # whoever wants JSON gets the contract's own error
        raise Misused("name a memory, with --used or --irrelevant")
    async with call.client() as client:
        reply = await client.feedback(
            user, recall_id, used=used or (), irrelevant=irrelevant or (), request_id=request_id
        )
    call.print_reply(reply, _show_weighed)


def _show_pinned(reply: PinReply) -> None:
    said = "pinned: it does not fade" if reply.pinned else "not pinned: it fades again"
    out_console().print(Text(said), soft_wrap=True)


def _show_weighed(reply: FeedbackReply) -> None:
    said = f"{reply.used} made stronger, {reply.irrelevant} made weaker"
    if not reply.used and not reply.irrelevant:
        said += ": what was said was counted already"
    out_console().print(Text(said), soft_wrap=True)


TheId = Annotated[str, argument("ID", "Of a fact: `ricordo facts --ids` shows it. See --memory.")]
OfMemory = Annotated[bool, flag("--memory", "The id is a memory's: `ricordo recall --ids` shows it.")]


@rpc_command
async def verify(
    call: Call,
    named: TheId,
    *,
    user: User,
    no: Annotated[bool, flag("--no", "Take the confirmation back.")] = False,
    memory: OfMemory = False,
    request_id: RequestId = None,
) -> None:
    """Confirm a fact or a memory, or take the confirmation back."""
    async with call.client() as client:
        if memory:
            reply = await client.verify(user, memory_id=named, verified=not no, request_id=request_id)
        else:
            reply = await client.verify(user, fact_id=named, verified=not no, request_id=request_id)
    call.print_reply(reply, lambda done: _show_verified(done, of_memory=memory))


@rpc_command
async def correct(
    call: Call,
    named: TheId,
    value: Annotated[str, argument("VALUE", "What the fact holds, or the memory says, instead.")],
    *,
    user: User,
    memory: OfMemory = False,
    request_id: RequestId = None,
) -> None:
    """Put right what a fact holds, or what a memory says."""
    async with call.client() as client:
        if memory:
            reply = await client.correct(user, memory_id=named, content=value, request_id=request_id)
        else:
            reply = await client.correct(user, fact_id=named, object=value, request_id=request_id)
    call.print_reply(reply, lambda done: _show_corrected(value, done))


@rpc_command
async def reject(
    call: Call,
    fact_id: Annotated[str, argument("ID", "Of a fact: `ricordo facts --ids` shows it.")],
    *,
    user: User,
    request_id: RequestId = None,
) -> None:
    """Say that a fact was read wrongly."""
    async with call.client() as client:
        reply = await client.reject(user, fact_id, request_id=request_id)
    call.print_reply(reply, _show_rejected)


@rpc_command
async def identify(
    call: Call,
    name: Annotated[str, argument("NAME", "A person or an animal.")],
    other: Annotated[str, argument("NAME", "Another name.")],
    *,
    user: User,
    apart: Annotated[bool, flag("--apart", "They are two.")] = False,
    undo: Annotated[bool, flag("--undo", "Take back what was said about them.")] = False,
    request_id: RequestId = None,
) -> None:
    """Say that two names are one person or animal."""
    if apart and undo:
        raise Misused("--apart and --undo exclude each other")
    same = None if undo else not apart
    async with call.client() as client:
        reply = await client.identify(user, (name, other), same=same, request_id=request_id)
    call.print_reply(reply, lambda done: _show_identified(name, other, done))


def _show_identified(name: str, other: str, reply: IdentifyReply) -> None:
    said = {True: "are one", False: "are two", None: "are whoever the messages say they are"}[reply.same]
    out_console().print(Text(f"{plain(name)} and {plain(other)} {said}"), soft_wrap=True)


def _show_verified(reply: VerifyReply, *, of_memory: bool) -> None:
    follows = "it does not fade" if of_memory else "messages dispute it from now on, and do not overturn it"
    said = f"verified: {follows}" if reply.verified else "not verified"
    out_console().print(Text(said), soft_wrap=True)


def _show_rejected(_: RejectFactReply) -> None:
    said = "rejected: it is known no more, and not read again from the same words"
    out_console().print(Text(said), soft_wrap=True)


def _show_corrected(value: str, reply: CorrectReply) -> None:
    if reply.memory_id is not None:
        said = "it says so now, verified; what follows from it is made anew"
    elif reply.fact_id is None:
        said = "this correction was taken back since"
    else:
        said = f"{plain(value)} stands now, verified, as {reply.fact_id}"
    out_console().print(Text(said), soft_wrap=True)
