"""`ricordo memory|memories|users|entities|graph`: one memory, and pages of listings."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import tzinfo
from functools import partial
from typing import TypeVar

import typer
from rich.text import Text

from ricordo.messages.entities import EntitiesReply, GraphReply
from ricordo.messages.listings import BriefMemoryView, MemoriesReply, MemoryChange, MemoryReply, UsersReply
from ricordo_services.cli import reply_printing
from ricordo_services.cli.client_calls import Call, Option
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
from ricordo_services.cli.query_commands import chosen_filters

P = TypeVar("P", MemoriesReply, UsersReply, EntitiesReply)


async def memory(call: Call, memory_id: str, *, user: str, **options: Option) -> None:
    """Show one memory, and what it is connected with."""
    show = partial(show_memory, zone=zone_of(options["timezone"]), ids=options["ids"])
    await call.ask(lambda client: client.memory(user, memory_id), show)


async def memories(call: Call, *, user: str, **options: Option) -> None:
    """List memories."""
    zone, ids = zone_of(options.pop("timezone")), options.pop("ids")
    nothing = f"no such memories of user {plain(user)!r}"
    options["filters"] = chosen_filters(options, options.pop("within"))

    def show(page: MemoriesReply) -> None:
        reply_printing.show_memories(page.memories, zone, nothing, ids=ids)

    async with call.client() as client:
        await print_pages(call, partial(client.memories, user), show, **options)


async def users(call: Call, **options: Option) -> None:
    """List the users of the tenant."""
    show = partial(_show_users, zone=zone_of(options.pop("timezone")))
    async with call.client() as client:
        await print_pages(call, client.users, show, **options)


async def entities(call: Call, *, user: str, **options: Option) -> None:
    """List the entities of a user."""
    zone, ids = zone_of(options.pop("timezone")), options.pop("ids")
    show = partial(_show_entities, user, zone=zone, ids=ids)
    async with call.client() as client:
        await print_pages(call, partial(client.entities, user), show, **options)


async def print_pages(
    call: Call, fetch: Callable[..., Awaitable[P]], show: Callable[[P], None], **options: Option
) -> None:
    """Print the page that `fetch` returns for a cursor, or all from it on, and how to go on."""
    to_the_end, cursor = options.pop("all"), options.pop("cursor")
    while True:
        page = await fetch(cursor=cursor, **options)
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
    print_block(reply_printing.memories_block([reply.memory], zone, ids=ids))
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
    reply_printing.show_supported_facts(reply.facts, zone, ids=ids)
    if reply.history or shown.access_count:
        print_text("\nHistory", "bold")
        print_text(f"used {counted(shown.access_count, 'times')} in all")
        for change in reply.history:
            print_text(" ".join(_change(change, zone, ids=ids)))


def _brief(memory: BriefMemoryView, zone: tzinfo | None, *, ids: bool) -> Text:
    who = memory.speaker or (memory.role.value if memory.role else memory.kind.value)
    line = reply_printing.utterance(memory.created_at, who, memory.content, zone)
    return line.append(f"  {memory.id}", "dim") if ids else line


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


def _show_entities(user: str, reply: EntitiesReply, zone: tzinfo | None, *, ids: bool) -> None:
    """Print entities with their facts, or that there are none."""
    if not reply.entities:
        print_remark(f"no such entities of user {plain(user)!r}")
    for card in reply.entities:
        kind = card.kind.value if card.kind else ""
        seen = f"last seen {local_text(card.last_seen, zone)}" if card.last_seen else ""
        print_block(reply_printing.entity_head(card, card.ties, kind, seen))
        if card.facts:
            print_block(reply_printing.facts_block(card.facts, zone, ids=ids))


async def graph(call: Call, entity: str | None = None, *, user: str, **options: Option) -> None:
    """Show what is around an entity, or what connects two."""
    start, end = options.pop("start"), options.pop("end")
    if (entity is None) is (start is None) or (start is None) is not (end is None):
        raise Misused("name an entity, or two with --from and --to")
    between = None if start is None else (start, end)
    show = partial(show_graph, **options)
    reply = await call.ask(lambda client: client.graph(user, entity, between=between, **options), show)
    if reply.degraded:
        raise typer.Exit(FAILED)


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
    edges = () if reply.paths else reply.edges
    rows += [(Text("•" * edge.confidence, "magenta"), reply_printing.statement(edge)) for edge in edges]
    if rows:
        print_block(reply_printing.TwoColumns(rows))
    elif not reply.degraded:
        advice = [f"nothing is connected{' so firmly' if min_confidence > 1 else ''}"]
        advice += ["--min-confidence 1 shows what was said once"] if min_confidence > 1 else []
        advice += ["--depth 3 looks further"] if depth < 3 else []
        print_remark("; ".join(advice))
    if reply.truncated:
        print_text("there is more than is shown", "dim")
    reply_printing.warn_degraded(reply.degraded)
