"""`ricordo verify|correct|identify`: the user's word on a fact, and on who is who."""

from typing import Annotated

import typer
from rich.text import Text

from ricordo.messages.commands import CorrectReply, IdentifyReply, VerifyReply
from ricordo_services.cli.asking import asking
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.options import DataDir, Json, Nats, Tenant, User
from ricordo_services.cli.output import screen
from ricordo_services.cli.views import plain

FactId = Annotated[
    str, typer.Argument(metavar="FACT", help="Its id: `ricordo facts --ids` shows it.", show_default=False)
]
Request = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        metavar="ID",
        help="Of your own: under the same one, a repeated command changes nothing.",
        show_default=False,
    ),
]


async def verify(
    context: typer.Context,
    fact_id: FactId,
    *,
    user: User,
    no: Annotated[bool, typer.Option("--no", help="Take the confirmation back.")] = False,
    request_id: Request = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Confirm a fact, or take the confirmation back."""
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.verify(user, fact_id=fact_id, verified=not no, request_id=request_id)
    question.answer(reply, _show_verified)


async def correct(
    context: typer.Context,
    fact_id: FactId,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What it holds instead.", show_default=False)],
    *,
    user: User,
    request_id: Request = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Put right what a fact holds."""
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.correct(user, fact_id=fact_id, object=value, request_id=request_id)
    question.answer(reply, lambda done: _show_corrected(value, done))


async def identify(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A person or an animal.", show_default=False)],
    other: Annotated[str, typer.Argument(metavar="NAME", help="Another name.", show_default=False)],
    *,
    user: User,
    apart: Annotated[bool, typer.Option("--apart", help="They are two.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what was said about them.")] = False,
    request_id: Request = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Say that two names are one person or animal."""
    if apart and undo:
        raise Misused("--apart and --undo exclude each other")
    same = None if undo else not apart
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.identify(user, (name, other), same=same, request_id=request_id)
    question.answer(reply, lambda done: _show_identified(name, other, done))


def _show_identified(name: str, other: str, reply: IdentifyReply) -> None:
    said = {True: "are one", False: "are two", None: "are whoever the messages say they are"}[reply.same]
    screen().print(Text(f"{plain(name)} and {plain(other)} {said}"), soft_wrap=True)


def _show_verified(reply: VerifyReply) -> None:
    said = (
        "verified: messages dispute it from now on, and do not overturn it"
        if reply.verified
        else "not verified"
    )
    screen().print(Text(said), soft_wrap=True)


def _show_corrected(value: str, reply: CorrectReply) -> None:
    if reply.fact_id is None:
        said = "this correction was taken back since"
    else:
        said = f"{plain(value)} stands now, verified, as {reply.fact_id}"
    screen().print(Text(said), soft_wrap=True)
