"""`ricordo timeline|expand|end-session`: memories in their order, what they rest on, the end of a session."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from ricordo.messages.queries import ExpandReply, TimelineReply
from ricordo_services.cli.asking import asking
from ricordo_services.cli.options import DataDir, Ids, Json, Nats, ShownZone, Tenant, User
from ricordo_services.cli.output import is_window, margin, print_json, screen
from ricordo_services.cli.views import memories_block, plain
from ricordo_services.cli.zones import zone_of

_INSTANT = "Such as 2026-03-02T19:10:00+01:00."


async def timeline(
    context: typer.Context,
    *,
    user: User,
    start: Annotated[
        str, typer.Option(metavar="INSTANT", help=f"Not before this. {_INSTANT}", show_default=False)
    ],
    end: Annotated[
        str | None,
        typer.Option(metavar="INSTANT", help="Before this; now unless said.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="At most so many, 1 to 1,000.")] = 100,
    ids: Ids = False,
    timezone: ShownZone = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show the memories of a span of time, oldest first."""
    zone = zone_of(timezone)
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.timeline(user, start, end or datetime.now(UTC), limit=limit)

    def show(found: TimelineReply) -> None:
        if not found.memories:
            margin().print(Text(f"nothing of that time is remembered of {plain(user)}"))
            return
        console = screen()
        console.print(memories_block(found.memories, zone, ids=ids), soft_wrap=not is_window(console))
        if len(found.memories) == limit:
            margin().print(Text("there may be more: --limit shows up to 1,000", "dim"))

    question.answer(reply, show)


async def expand(
    context: typer.Context,
    memory_id: Annotated[
        str,
        typer.Argument(metavar="MEMORY", help="Its id: `ricordo recall --ids` shows it.", show_default=False),
    ],
    *,
    user: User,
    ids: Ids = False,
    timezone: ShownZone = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show what a memory rests on, oldest first."""
    zone = zone_of(timezone)
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.expand(user, memory_id)

    def show(found: ExpandReply) -> None:
        if not found.memories:
            margin().print("it rests on no other memory")
            return
        console = screen()
        console.print(memories_block(found.memories, zone, ids=ids), soft_wrap=not is_window(console))

    question.answer(reply, show)


async def end_session(
    context: typer.Context,
    conversation: Annotated[str, typer.Argument(metavar="CONVERSATION", help="Its id.", show_default=False)],
    *,
    user: User,
    timestamp: Annotated[
        str | None,
        typer.Option(
            metavar="INSTANT", help=f"When it ended; now unless said. {_INSTANT}", show_default=False
        ),
    ] = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as a JSON object.")] = False,
) -> None:
    """Say that a conversation has come to its end."""
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        published = await client.end_session(user, conversation, timestamp)
    if as_json:
        print_json({"event_id": published.message_id, "duplicate": published.duplicate})
        return
    said = "was said to have ended then already" if published.duplicate else "has ended: its summary follows"
    screen().print(Text(f"{plain(conversation)} {said}"), soft_wrap=True)
