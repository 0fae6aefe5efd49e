"""`ricordo verify|correct`: the user's word on a fact."""

from typing import Annotated

import typer
from rich.text import Text

from ricordo.messages.commands import CorrectReply, VerifyReply
from ricordo_services.cli.asking import asking
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


def _show_verified(reply: VerifyReply) -> None:
    said = (
        "verified: messages dispute it from now on, and do not overturn it"
        if reply.verified
        else "not verified"
    )
    screen().print(Text(said), soft_wrap=True)


def _show_corrected(value: str, reply: CorrectReply) -> None:
    screen().print(Text(f"{plain(value)} stands now, verified, as {reply.fact_id}"), soft_wrap=True)
