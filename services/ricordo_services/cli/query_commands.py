"""`ricordo history|facts|status|stats|timeline|expand|end-session|working|note`."""

import json
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.table import Table
from rich.text import Text

from ricordo.messages.queries import ExpandReply, TimelineReply, WorkingReply
from ricordo_services.cli.client_calls import Call, call_of, rpc_command
from ricordo_services.cli.command_options import (
    Conversation,
    DataDir,
    DoneAsJson,
    Ids,
    Nats,
    RequestId,
    ShownZone,
    Tenant,
    User,
    argument,
    flag,
    option,
)
from ricordo_services.cli.fact_view import show_facts, supporting
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.output import err_console, is_window, out_console, print_json, zone_of
from ricordo_services.cli.reply_printing import (
    memories_block,
    plain,
    print_plain,
    show_history,
    show_stats,
    show_status,
)

Limit = Annotated[int, option("--limit", "N", "At most so many, 1 to 1,000.")]


@rpc_command
async def history(
    call: Call,
    *,
    user: User,
    conversation: Conversation = None,
    before: Annotated[
        str | None, option("--before", "PLACE", "An instant, or the `next` of a reply.")
    ] = None,
    limit: Limit = 20,
    timezone: ShownZone = None,
) -> None:
    """Show the last messages, word for word."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.history(user, conversation_id=conversation, before=before, limit=limit)
    call.print_reply(reply, lambda found: show_history(user, found, zone))


@rpc_command
async def facts(
    call: Call,
    *,
    user: User,
    entity: Annotated[str | None, option("--entity", "NAME", "About whom or what.")] = None,
    predicate: Annotated[str | None, option("--predicate", "NAME", "Such as lives_in or likes.")] = None,
    min_confidence: Annotated[
        float, option("--min-confidence", "N", "Said in at least so many messages, up to 10.")
    ] = 1,
    as_of: Annotated[str | None, option("--as-of", "INSTANT", "What held at that moment.")] = None,
    history: Annotated[bool, flag("--history", "Show what no longer holds, too.")] = False,
    ids: Annotated[
        bool, flag("--ids", "Show the id of each, which `verify`, `correct` and `reject` take.")
    ] = False,
    why: Annotated[bool, flag("--why", "Show the sentences that each rests on, with its id.")] = False,
    limit: Limit = 50,
    timezone: ShownZone = None,
) -> None:
    """Show what is known of a user, or of somebody whom the user has spoken of."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.facts(
            user,
            entity=entity,
            predicate=predicate,
            min_confidence=min_confidence,
            as_of=as_of,
            history=history,
            limit=limit,
        )
        said = await supporting(client, user, reply.facts) if why and not call.as_json else None
    call.print_reply(reply, lambda found: show_facts(user, found, zone, ids=ids, limit=limit, said=said))


@rpc_command
async def status(
    call: Call, message_id: Annotated[str, argument("ID", "Of the message.")], *, timezone: ShownZone = None
) -> None:
    """Show how far a message got."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.status(message_id)
    call.print_reply(reply, lambda found: show_status(message_id, found, zone))


@rpc_command
async def stats(call: Call, *, user: User) -> None:
    """Count what is remembered of a user."""
    async with call.client() as client:
        reply = await client.stats(user)
    call.print_reply(reply, partial(show_stats, user))


_INSTANT = "Such as 2026-03-02T19:10:00+01:00."


@rpc_command
async def timeline(
    call: Call,
    *,
    user: User,
    start: Annotated[str, option("--start", "INSTANT", f"Not before this. {_INSTANT}")],
    end: Annotated[str | None, option("--end", "INSTANT", "Before this. Default: now.")] = None,
    limit: Annotated[int, option("--limit", "N", "At most so many, 1 to 1,000.")] = 100,
    ids: Ids = False,
    timezone: ShownZone = None,
) -> None:
    """Show the memories of a span of time, oldest first."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.timeline(user, start, end or datetime.now(UTC), limit=limit)

    def show(found: TimelineReply) -> None:
        if not found.memories:
            err_console().print(Text(f"nothing of that time is remembered of {plain(user)}"))
            return
        console = out_console()
        console.print(memories_block(found.memories, zone, ids=ids), soft_wrap=not is_window(console))
        if len(found.memories) == limit:
            err_console().print(Text("there may be more: --limit shows up to 1,000", "dim"))

    call.print_reply(reply, show)


@rpc_command
async def expand(
    call: Call,
    memory_id: Annotated[str, argument("MEMORY", "Its id: `ricordo recall --ids` shows it.")],
    *,
    user: User,
    ids: Ids = False,
    timezone: ShownZone = None,
) -> None:
    """Show what a memory rests on, oldest first."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.expand(user, memory_id)

    def show(found: ExpandReply) -> None:
        if not found.memories:
            err_console().print("it rests on no other memory")
            return
        console = out_console()
        console.print(memories_block(found.memories, zone, ids=ids), soft_wrap=not is_window(console))

    call.print_reply(reply, show)


async def end_session(
    context: typer.Context,
    conversation: Annotated[str, argument("CONVERSATION", "Its id.")],
    *,
    user: User,
    timestamp: Annotated[
        str | None, option("--timestamp", "INSTANT", f"When it ended. Default: now. {_INSTANT}")
    ] = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: DoneAsJson = False,
) -> None:
    """Say that a conversation has come to its end."""
    call = call_of(context, nats, tenant, data_dir, as_json=as_json)
    async with call.client() as client:
        published = await client.end_session(user, conversation, timestamp)
    if as_json:
        print_json({"event_id": published.message_id, "duplicate": published.duplicate})
        return
    said = "was said to have ended then already" if published.duplicate else "has ended: its summary follows"
    out_console().print(Text(f"{plain(conversation)} {said}"), soft_wrap=True)


InConversation = Annotated[str, option("--conversation -c", "ID", "In which one.")]


@rpc_command
async def working(call: Call, *, user: User, conversation: InConversation) -> None:
    """Show what is at hand in a conversation."""
    async with call.client() as client:
        reply = await client.working(user, conversation)
    call.print_reply(reply, _show_working)


@rpc_command
async def note(
    call: Call,
    key: Annotated[str, argument("KEY", "What it is called.")],
    value: Annotated[str | None, argument("VALUE", "JSON, or else a text.")] = None,
    *,
    user: User,
    conversation: InConversation,
    remove: Annotated[bool, flag("--remove", "Take it away.")] = False,
    request_id: RequestId = None,
) -> None:
    """Put a value into the working memory of a conversation."""
    if remove == (value is not None):
        raise Misused("give a VALUE, or --remove")
    noted = None if value is None else _read(value)
    async with call.client() as client:
        reply = await client.note(user, conversation, key, noted, request_id=request_id)
    call.print_reply(reply, lambda _: _show_noted(key, removed=noted is None))


def _read(value: str) -> JsonValue:
    """Parse JSON; anything else is a string."""
    try:
        read: JsonValue = json.loads(value)
    except ValueError:
        return value
    return read


def _show_working(reply: WorkingReply) -> None:
    console = out_console()
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
    out_console().print(Text(f"{plain(key)} {'is noted no more' if removed else 'is noted'}"), soft_wrap=True)
