"""`ricordo recall|context|answer|history|timeline|expand|facts|working|status|stats`: queries."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from typing import Any, Final

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ricordo.client import MemoryClient
from ricordo.messages.enumerations import AnswerStyle
from ricordo.messages.filters import Filters
from ricordo.messages.queries import FactsReply, Position, WorkingReply
from ricordo.messages.views import EntityView, FactView, HistoryMessage
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import FAILED
from ricordo_services.cli.output import (
    err_console,
    local_text,
    out_console,
    plain,
    print_block,
    print_text,
    zone_of,
)
from ricordo_services.cli.reply_printing import (
    TwoColumns,
    facts_block,
    is_unanswered,
    show_answer,
    show_context,
    show_history,
    show_memories,
    show_recall,
    show_stats,
    show_status,
    validity,
    warn_degraded,
)

_AT_ONCE: Final = 1_000
_LONGEST: Final = 300  # characters of a message of which no sentence names the value
_INSTANT: Final = timedelta(microseconds=1)
_SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


async def supporting(
    client: MemoryClient, user: str, facts: Sequence[FactView]
) -> Mapping[str, HistoryMessage]:
    """Return the messages that support facts by their ids; those that were forgotten are left out.

    The history is read once, from the instant at which any of the facts was last said back to the first.
    """
    wanted = {message_id for fact in facts for message_id in fact.message_ids}
    found: dict[str, HistoryMessage] = {}
    if not wanted:
        return found
    first = min(fact.first_seen for fact in facts if fact.message_ids)
    last = max(fact.last_reinforced for fact in facts if fact.message_ids)
    before: Position | None = Position(last + _INSTANT)
    while before is not None and found.keys() != wanted:
        page = await client.history(user, before=before, limit=_AT_ONCE)
        found |= {one.id: one for one in page.messages if one.id in wanted}
        before = None if not page.messages or page.messages[0].timestamp < first else page.next
    return found


def sentences_of(
    fact: FactView, messages: Mapping[str, HistoryMessage], zone: tzinfo | None
) -> list[tuple[Text, Text]]:
    """Return what supports a fact, oldest first: when it was said, the words, and the id of the message."""
    sources = [messages[message_id] for message_id in fact.message_ids if message_id in messages]
    if not sources:
        return [(Text(), Text("the user's decision" if fact.verified else "no source is left", "dim"))]
    return [
        (
            Text(f"  {local_text(source.timestamp, zone)}", "dim"),
            Text.assemble(
                plain(sentence_with(fact.object, source.content or "")), (f"  {plain(source.id)}", "dim")
            ),
        )
        for source in sources
    ]


def sentence_with(value: str, content: str) -> str:
    """Return the sentences of a message that hold `value`; where none does, how the message begins."""
    from ricordo.memory.facts import normalise  # noqa: PLC0415 - slow to load

    named = [one.strip() for one in _SENTENCES.split(content) if normalise(value) in normalise(one)]
    if named:
        return " ".join(" ".join(named).split())
    begin = " ".join(content.split())
    return begin if len(begin) <= _LONGEST else f"{begin[:_LONGEST]}…"


_USER: Final = "user"  # as the subject of facts


def show_facts(
    user: str,
    reply: FactsReply,
    zone: tzinfo | None = None,
    *,
    ids: bool = False,
    limit: int | None = None,
    messages: Mapping[str, HistoryMessage] | None = None,
) -> None:
    """Print facts, or that there are none; those about an entity as a card.

    Args:
        ids: whether each fact's id is shown.
        messages: those whose sentences are shown with each fact, by id.
    """
    if reply.entity is not None:
        for block in _card(user, reply.entity, reply.facts, zone, ids=ids):
            print_block(block)
    elif reply.facts and messages is None:
        print_block(facts_block(reply.facts, zone, ids=ids))
    for fact in reply.facts if messages is not None else ():
        print_block(facts_block([fact], zone, ids=True))
        print_block(TwoColumns(sentences_of(fact, messages or {}, zone)))
    if not reply.facts:
        err_console().print(Text(f"no facts of user {plain(user)!r}"))
    if reply.truncated:
        err_console().print(Text("the reply was too large: not everything is shown"))
    elif len(reply.facts) == limit:
        err_console().print(Text(f"the {limit} most certain facts: --limit shows more"))
    warn_degraded(reply.degraded)


def _card(
    user: str, entity: EntityView, facts: Sequence[FactView], zone: tzinfo | None, *, ids: bool
) -> list[RenderableType]:
    blocks: list[RenderableType] = [
        Text(plain(entity.name), "bold cyan"),
        TwoColumns(_head(user, entity, facts)),
    ]
    for predicate in sorted({fact.predicate for fact in facts}):
        rows = [_row(entity, fact, zone, ids=ids) for fact in facts if fact.predicate == predicate]
        blocks += [Text(f"\n{predicate}", "bold"), TwoColumns(rows)]
    if entity.neighbours:
        near = [
            (
                Text("·" * one.distance, "magenta"),
                Text.assemble((plain(one.name), "bold"), "  ", (", ".join(one.predicates), "dim")),
            )
            for one in entity.neighbours
        ]
        blocks += [Text("\nNear", "bold"), TwoColumns(near)]
    return blocks


def _head(user: str, entity: EntityView, facts: Sequence[FactView]) -> list[tuple[Text, Text]]:
    lines = [("known from", f"{entity.mentions:,} message{'' if entity.mentions == 1 else 's'}")]
    if entity.aliases:
        lines.insert(0, ("also called", plain(", ".join(entity.aliases))))
    if ties := sorted({fact.predicate for fact in facts if _ties(fact, entity)}):
        lines.append((f"to {plain(user)}", ", ".join(ties)))
    return [(Text(name, "dim"), Text(value)) for name, value in lines]


def _ties(fact: FactView, entity: EntityView) -> bool:
    """Whether a fact that holds ties the entity to the user; another one may share its name."""
    names = {name.casefold() for name in (entity.name, *entity.aliases)}
    return fact.subject == _USER and fact.valid_to is None and fact.object.casefold() in names


def _row(entity: EntityView, fact: FactView, zone: tzinfo | None, *, ids: bool) -> tuple[Text, Text]:
    """Show the other end of a fact, since when it holds, and how it stands."""
    text = Text(plain(fact.object), "bold")
    if fact.subject != entity.name:
        text = Text.assemble((plain(fact.subject), "bold cyan"), "  ", (plain(fact.object), "bold"))
    since = f"since {local_text(fact.valid_from, zone)}" if fact.valid_from else ""
    if notes := ", ".join(filter(None, (since, validity(fact, zone)))):
        text.append(f"  ({notes})", "dim")
    if ids:
        text.append(f"  {fact.id}", "dim")
    return Text("•" * fact.confidence, "magenta"), text


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
