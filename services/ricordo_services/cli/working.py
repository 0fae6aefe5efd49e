"""`ricordo working|note`: what is at hand in a conversation, and what is noted of it."""

import json
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.table import Table
from rich.text import Text

from ricordo.messages.queries import WorkingReply
from ricordo_services.cli.asking import asking
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.options import DataDir, Json, Nats, RequestId, Tenant, User
from ricordo_services.cli.output import screen
from ricordo_services.cli.views import plain, print_plain

InConversation = Annotated[
    str, typer.Option("--conversation", "-c", metavar="ID", help="In which one.", show_default=False)
]


async def working(
    context: typer.Context,
    *,
    user: User,
    conversation: InConversation,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show what is at hand in a conversation."""
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.working(user, conversation)
    question.answer(reply, _show_working)


async def note(
    context: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="What it is called.", show_default=False)],
    value: Annotated[
        str | None,
        typer.Argument(metavar="VALUE", help="JSON, or else a text.", show_default=False),
    ] = None,
    *,
    user: User,
    conversation: InConversation,
    remove: Annotated[bool, typer.Option("--remove", help="Take it away.")] = False,
    request_id: RequestId = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Put a value into the working memory of a conversation."""
    if remove == (value is not None):
        raise Misused("give a VALUE, or --remove")
    noted = None if value is None else _read(value)
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.note(user, conversation, key, noted, request_id=request_id)
    question.answer(reply, lambda _: _show_noted(key, removed=noted is None))


def _read(value: str) -> JsonValue:
    """Read JSON; what is none is a text."""
    try:
        read: JsonValue = json.loads(value)
    except ValueError:
        return value
    return read


def _show_working(reply: WorkingReply) -> None:
    console = screen()
    if not (reply.lines or reply.entities or reply.notes):
        console.print("Nothing is at hand in this conversation.", style="dim")
        return
    for line in reply.lines:
        print_plain(console, line)
    if reply.entities or reply.notes:
        table = Table.grid(padding=(0, 2))
        if reply.entities:
            table.add_row(Text("named last", "dim"), Text(plain(", ".join(reply.entities))))
        for key, value in reply.notes.items():
            told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            table.add_row(Text(plain(key), "bold cyan"), Text(plain(told)))
        console.print(table)


def _show_noted(key: str, *, removed: bool) -> None:
    screen().print(Text(f"{plain(key)} {'is noted no more' if removed else 'is noted'}"), soft_wrap=True)
