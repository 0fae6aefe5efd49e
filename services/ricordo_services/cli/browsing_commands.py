"""`ricordo memory|memories|users`: one memory with all that belongs to it; pages of memories and users."""

from collections.abc import Iterable
from datetime import tzinfo

from rich.text import Text

from ricordo.messages.listings import BriefMemoryView, MemoryChange, MemoryReply, UsersReply
from ricordo_services.cli.client_calls import Call
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
from ricordo_services.cli.reply_printing import facts_block, memories_block, show_memories


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
    **options: Options,
) -> None:
    """List memories."""
    zone = zone_of(timezone)
    options |= {"filters": chosen_filters(options, within)}
    nothing = f"no such memories of user {plain(user)!r}"
    async with call.client() as client:
        while True:
            reply = await client.memories(user, **options)
            first = options.get("cursor") is None
            if reply.memories or first:
                call.print_reply(reply, lambda page: show_memories(page.memories, zone, nothing, ids=ids))
            options["cursor"] = reply.next
            if reply.next is None or not all:
                break
    if reply.next is not None and not call.as_json:
        print_remark(f"{reply.total} in all; the next page: --cursor {reply.next}", "dim")


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
        while True:
            reply = await client.users(cursor=cursor, limit=limit)
            call.print_reply(reply, lambda page: _show_users(page, zone))
            cursor = reply.next
            if cursor is None or not all:
                break
    if cursor is not None and not call.as_json:
        print_remark(f"the next page: --cursor {cursor}", "dim")


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
