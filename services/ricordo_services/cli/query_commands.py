"""`ricordo recall|context|answer|history|timeline|expand|facts|working|status|stats`: queries."""

import json
from datetime import UTC, datetime
from functools import partial
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from ricordo.messages.enumerations import AnswerStyle
from ricordo.messages.filters import Filters
from ricordo.messages.queries import WorkingReply
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.fact_view import show_facts, supporting
from ricordo_services.cli.failures import FAILED
from ricordo_services.cli.output import err_console, out_console, plain, print_text, zone_of
from ricordo_services.cli.reply_printing import (
    is_unanswered,
    show_answer,
    show_context,
    show_history,
    show_memories,
    show_recall,
    show_stats,
    show_status,
)

Options = Any
"""The options that `commands.toml` types, by the names that the client gives them."""


async def recall(
    call: Call, query: str, *, user: str, ids: bool = False, within: str | None = None, **options: Options
) -> None:
    """Search memories."""
    zone = zone_of(options["timezone"])
    filters = chosen_filters(options, within)
    async with call.client() as client:
        reply = await client.recall(user, query, filters=filters, **options)
    call.print_reply(reply, lambda found: show_recall(found, zone, ids=ids))
    if is_unanswered(reply):
        raise typer.Exit(FAILED)


def chosen_filters(options: dict[str, Options], within: str | None) -> dict[str, Options] | None:
    """Remove the filters from options, and return those that were given.

    Args:
        within: the conversation to filter by; `conversation_id` is the one of the question.
    """
    names = Filters.model_fields.keys() - {"conversation_id"}
    filters = {**{name: options.pop(name) for name in names}, "conversation_id": within}
    return {
        name: value for name, value in filters.items() if value is not None and value is not False
    } or None


async def context(call: Call, query: str, *, user: str, **options: Options) -> None:
    """Get memories, facts and recent turns as text for a prompt."""
    async with call.client() as client:
        reply = await client.context(user, query, **options)
    call.print_reply(reply, show_context)


async def answer(
    call: Call, query: str, *, user: str, full: bool = False, within: str | None = None, **options: Options
) -> None:
    """Answer a question from memories and facts."""
    style, filters = AnswerStyle.FULL if full else AnswerStyle.SHORT, chosen_filters(options, within)
    async with call.client() as client:
        reply = await client.answer(user, query, style=style, filters=filters, **options)
    call.print_reply(reply, show_answer)
    if reply.degraded and not reply.answered:
        raise typer.Exit(FAILED)


async def history(call: Call, *, user: str, timezone: str | None = None, **options: Options) -> None:
    """Show the last messages, word for word."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.history(user, **options)
    call.print_reply(reply, lambda found: show_history(user, found, zone))


async def facts(
    call: Call,
    *,
    user: str,
    ids: bool = False,
    why: bool = False,
    limit: int = 50,
    timezone: str | None = None,
    **options: Options,
) -> None:
    """Show what is known of a user, or of somebody whom the user has spoken of."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.facts(user, limit=limit, **options)
        messages = await supporting(client, user, reply.facts) if why and not call.as_json else None
    show = partial(show_facts, user, zone=zone, ids=ids, limit=limit, messages=messages)
    call.print_reply(reply, show)


async def status(call: Call, message_id: str, *, timezone: str | None = None) -> None:
    """Show how far a message got."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.status(message_id)
    call.print_reply(reply, lambda found: show_status(message_id, found, zone))


async def stats(call: Call, *, user: str) -> None:
    """Show the counts of a user."""
    async with call.client() as client:
        reply = await client.stats(user)
    call.print_reply(reply, partial(show_stats, user))


async def timeline(
    call: Call,
    *,
    user: str,
    start: str,
    end: str | None = None,
    limit: int = 100,
    ids: bool = False,
    timezone: str | None = None,
) -> None:
    """Show the memories of a span of time, oldest first."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.timeline(user, start, end or datetime.now(UTC), limit=limit)
    nothing = f"no memories of user {plain(user)!r} in that period"
    call.print_reply(reply, lambda found: show_memories(found.memories, zone, nothing, ids=ids))
    if not call.as_json and len(reply.memories) == limit:
        err_console().print(Text("there may be more: --limit shows up to 1,000", "dim"))


async def expand(
    call: Call, memory_id: str, *, user: str, ids: bool = False, timezone: str | None = None
) -> None:
    """Show what a memory rests on, oldest first."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.expand(user, memory_id)
    nothing = "it has no sources"
    call.print_reply(reply, lambda found: show_memories(found.memories, zone, nothing, ids=ids))


async def working(call: Call, *, user: str, conversation: str) -> None:
    """Show the working memory of a conversation."""
    async with call.client() as client:
        reply = await client.working(user, conversation)
    call.print_reply(reply, _show_working)


def _show_working(reply: WorkingReply) -> None:
    console = out_console()
    if not (reply.lines or reply.entities or reply.notes):
        console.print("The working memory is empty.", style="dim")
    for line in reply.lines:
        print_text(line)
    if reply.entities or reply.notes:
        table = Table.grid(padding=(0, 2))
        if reply.entities:
            table.add_row(Text("named last", "dim"), Text(plain(", ".join(reply.entities))))
        for key, value in reply.notes.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            table.add_row(Text(plain(key), "bold cyan"), Text(plain(text)))
        console.print(table)
