"""`ricordo memory|memories|users|entities|graph`: one memory, and pages of listings."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import tzinfo
from typing import TypeVar

import typer
from rich.text import Text

from ricordo.messages.entities import EntitiesReply, EntityCard, GraphReply
from ricordo.messages.listings import BriefMemoryView, MemoriesReply, MemoryChange, MemoryReply, UsersReply
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.failures import FAILED, Misused
from ricordo_services.cli.output import (
    counted,
    local_text,
    plain,
    print_block,
    print_remark,
    print_text,
    zone_of,
)
from ricordo_services.cli.query_commands import Options, chosen_filters
from ricordo_services.cli.reply_printing import (
    TwoColumns,
    facts_block,
    memories_block,
    show_memories,
    warn_degraded,
)

P = TypeVar("P", MemoriesReply, UsersReply, EntitiesReply)


async def memory(
    call: Call, memory_id: str, *, user: str, ids: bool = False, timezone: str | None = None
) -> None:
    """Show one memory, and what it is connected with."""
    zone = zone_of(timezone)
    async with call.client() as client:
        reply = await client.memory(user, memory_id)
    call.print_reply(reply, lambda found: show_memory(found, zone, ids=ids))


async def memories(
    call: Call,
    *,
    user: str,
    all: bool = False,  # noqa: A002 - the name of the option
    ids: bool = False,
    timezone: str | None = None,
    within: str | None = None,
    cursor: str | None = None,
    **options: Options,
) -> None:
    """List memories."""
    zone, nothing = zone_of(timezone), f"no such memories of user {plain(user)!r}"
    filters = chosen_filters(options, within)
    async with call.client() as client:
        await print_pages(
            call,
            lambda at: client.memories(user, filters=filters, cursor=at, **options),
            lambda page: show_memories(page.memories, zone, nothing, ids=ids),
            cursor,
            to_the_end=all,
        )


async def users(
    call: Call,
    *,
    limit: int = 50,
    cursor: str | None = None,
    all: bool = False,  # noqa: A002 - the name of the option
    timezone: str | None = None,
) -> None:
    """List the users of the tenant."""
    zone = zone_of(timezone)
    async with call.client() as client:
        await print_pages(
            call,
            lambda at: client.users(cursor=at, limit=limit),
            lambda page: _show_users(page, zone),
            cursor,
            to_the_end=all,
        )


async def print_pages(
    call: Call,
    fetch: Callable[[str | None], Awaitable[P]],
    show: Callable[[P], None],
    cursor: str | None,
    *,
    to_the_end: bool,
) -> None:
    """Print a page, or all from it on, and how to go on where there is more.

    Args:
        fetch: returns the page of a cursor; None is that of the first.
    """
    while True:
        page = await fetch(cursor)
        call.print_reply(page, show)
        cursor = page.next
        if cursor is None or not to_the_end:
            break
    if cursor is not None and not call.as_json:
        total = getattr(page, "total", None)  # which is not counted of users
        found = "" if total is None else f"{total} in all; "
        print_remark(f"{found}the next page: --cursor {cursor}", "dim")


def _show_users(reply: UsersReply, zone: tzinfo | None) -> None:
    """Print users with their counts, or that there are none."""
    if not reply.users:
        print_remark("no users")
    for one in reply.users:
        counts = f"{counted(one.memories, 'memories')}, {counted(one.messages, 'messages')}"
        print_text(f"{one.user_id}  {counts}, last active {local_text(one.last_activity, zone)}")


def show_memory(reply: MemoryReply, zone: tzinfo | None, *, ids: bool) -> None:
    """Print a memory, its neighbours, its facts and its history."""
    print_block(memories_block([reply.memory], zone, ids=ids))
    shown = reply.memory
    print_text(f"importance {shown.importance:.2f}, strength {shown.decay_factor:.2f}", "dim")
    for title, others in (
        ("Before", [reply.preceding] if reply.preceding else []),
        ("After", [reply.following] if reply.following else []),
        ("Related", reply.related),
    ):
        if others:
            print_text(f"\n{title}", "bold")
        for other in others:
            print_block(_brief(other, zone, ids=ids))
    if reply.facts:
        print_text("\nFacts", "bold")
        print_block(facts_block(reply.facts, zone, ids=ids))
    if reply.history or shown.access_count:
        print_text("\nHistory", "bold")
        print_text(f"used {counted(shown.access_count, 'times')} in all")
        for change in reply.history:
            print_text(" ".join(_change(change, zone, ids=ids)))


def _brief(memory: BriefMemoryView, zone: tzinfo | None, *, ids: bool) -> Text:
    who = memory.speaker or (memory.role.value if memory.role else memory.kind.value)
    line = Text(local_text(memory.created_at, zone), "dim")
    line.append(f"  {plain(who)}: ", "bold cyan")
    line.append(plain(memory.content), "")
    if ids:
        line.append(f"  {memory.id}", "dim")
    return line


def _change(change: MemoryChange, zone: tzinfo | None, *, ids: bool) -> Iterable[str]:
    if change.at is not None:
        yield local_text(change.at, zone) + " "
    yield change.change.value
    if change.verdict == "irrelevant":
        yield "and found irrelevant"
    if change.decay_factor is not None:
        yield f"to {change.decay_factor:.2f}"
    if change.reason is not None:
        yield f"({change.reason.value})"
    if change.content is not None:
        yield f"from '{change.content}'"
    named = change.memory_id or change.recall_id
    if ids and named is not None:
        yield str(named)


async def entities(
    call: Call,
    *,
    user: str,
    all: bool = False,  # noqa: A002 - the name of the option
    ids: bool = False,
    timezone: str | None = None,
    cursor: str | None = None,
    **options: Options,
) -> None:
    """List the entities of a user."""
    zone = zone_of(timezone)
    async with call.client() as client:
        await print_pages(
            call,
            lambda at: client.entities(user, cursor=at, **options),
            lambda page: _show_entities(user, page, zone, ids=ids),
            cursor,
            to_the_end=all,
        )


async def graph(
    call: Call,
    entity: str | None = None,
    *,
    user: str,
    start: str | None = None,
    end: str | None = None,
    depth: int = 2,
    min_confidence: int = 3,
) -> None:
    """Show what is around an entity, or what connects two."""
    if (entity is None) is (start is None) or (start is None) is not (end is None):
        raise Misused("name an entity, or two with --from and --to")
    between = None if start is None or end is None else (start, end)
    async with call.client() as client:
        reply = await client.graph(user, entity, between=between, depth=depth, min_confidence=min_confidence)
    call.print_reply(reply, lambda found: show_graph(found, depth, min_confidence))
    if reply.degraded:
        raise typer.Exit(FAILED)


def _show_entities(user: str, reply: EntitiesReply, zone: tzinfo | None, *, ids: bool) -> None:
    """Print entities with their facts, or that there are none."""
    if not reply.entities:
        print_remark(f"no such entities of user {plain(user)!r}")
    for card in reply.entities:
        print_block(_head(card, zone))
        if card.facts:
            print_block(facts_block(card.facts, zone, ids=ids))


def _head(card: EntityCard, zone: tzinfo | None) -> Text:
    line = Text(plain(card.name), "bold cyan")
    if card.aliases:
        line.append(f" ({', '.join(map(plain, card.aliases))})", "")
    notes = [card.kind.value] if card.kind else []
    notes += [", ".join(card.ties)] if card.ties else []
    notes += [counted(card.mentions, "messages")]
    notes += [f"last seen {local_text(card.last_seen, zone)}"] if card.last_seen else []
    line.append(f"  {'; '.join(notes)}", "dim")
    return line


def _nothing_connected(depth: int, min_confidence: int) -> str:
    advice = ["--min-confidence 1 shows what was said once"] if min_confidence > 1 else []
    advice += ["--depth 3 looks further"] if depth < 3 else []
    return "; ".join([f"nothing is connected{' so firmly' if min_confidence > 1 else ''}", *advice])


def show_graph(reply: GraphReply, depth: int, min_confidence: int) -> None:
    """Print paths, or else facts, or which options find more; and what could not be asked."""
    facts = {edge.id: edge for edge in reply.edges}
    rows = []
    for path in reply.paths:
        steps = Text(plain(path.nodes[0]), "bold")
        for fact, name in zip(path.facts, path.nodes[1:], strict=True):
            predicate = facts[fact].predicate if fact in facts else "…"
            steps.append(f" — {predicate} — ", "dim").append(plain(name), "bold")
        rows.append((Text(f"{path.strength:.2f}", "magenta"), steps))
    for edge in () if reply.paths else reply.edges:
        text = Text.assemble((plain(edge.subject), "bold cyan"), "  ", (edge.predicate, "dim"), "  ")
        rows.append((Text("•" * edge.confidence, "magenta"), text.append(plain(edge.object), "bold")))
    if rows:
        print_block(TwoColumns(rows))
    elif not reply.degraded:
        print_remark(_nothing_connected(depth, min_confidence))
    if reply.truncated:
        print_text("there is more than is shown", "dim")
    warn_degraded(reply.degraded)
