"""`ricordo pin|feedback`: the user's word on memories, beside `verify` and `correct`."""

from typing import Annotated

import typer
from rich.text import Text

from ricordo.messages.commands import FeedbackReply, PinReply
from ricordo_services.cli.asking import asking
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.options import DataDir, Json, Nats, RequestId, Tenant, User
from ricordo_services.cli.output import screen


async def pin(
    context: typer.Context,
    memory_id: Annotated[
        str,
        typer.Argument(metavar="MEMORY", help="Its id: `ricordo recall --ids` shows it.", show_default=False),
    ],
    *,
    user: User,
    undo: Annotated[bool, typer.Option("--undo", help="Let it fade again.")] = False,
    request_id: RequestId = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Keep a memory from fading, or let it fade again."""
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.pin(user, memory_id, pinned=not undo, request_id=request_id)
    question.answer(reply, _show_pinned)


async def feedback(
    context: typer.Context,
    recall_id: Annotated[
        str,
        typer.Argument(metavar="RECALL", help="Its id: `ricordo recall --ids` shows it.", show_default=False),
    ],
    *,
    user: User,
    used: Annotated[
        list[str] | None,
        typer.Option(
            "--used", metavar="MEMORY", help="One that was of use; may be repeated.", show_default=False
        ),
    ] = None,
    irrelevant: Annotated[
        list[str] | None,
        typer.Option(
            "--irrelevant", metavar="MEMORY", help="One that was not; may be repeated.", show_default=False
        ),
    ] = None,
    request_id: RequestId = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Say which memories of a recall were of use, and which were not."""
    if not used and not irrelevant and not as_json:  # whoever wants JSON gets the contract's own error
        raise Misused("name a memory, with --used or --irrelevant")
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.feedback(
            user, recall_id, used=used or (), irrelevant=irrelevant or (), request_id=request_id
        )
    question.answer(reply, _show_weighed)


def _show_pinned(reply: PinReply) -> None:
    said = "pinned: it does not fade" if reply.pinned else "not pinned: it fades again"
    screen().print(Text(said), soft_wrap=True)


def _show_weighed(reply: FeedbackReply) -> None:
    said = f"{reply.used} made stronger, {reply.irrelevant} made weaker"
    if not reply.used and not reply.irrelevant:
        said += ": what was said was counted already"
    screen().print(Text(said), soft_wrap=True)
