"""`ricordo memory|memories|users|entities|graph`: one memory, and pages of listings."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, TypeVar

import typer

from ricordo.messages.entities import EntitiesReply
from ricordo.messages.listings import MemoriesReply, UsersReply
from ricordo_services.cli import reply_printing
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.fact_printing import show_entities, show_graph
from ricordo_services.cli.failures import FAILED, Misused
from ricordo_services.cli.options import (
    FilterOptions,
    MemoryId,
    PageOptions,
    User,
    argument,
    option,
    reworded,
)
from ricordo_services.cli.output import TimesOnly, View, plain, print_remark

P = TypeVar("P", MemoriesReply, UsersReply, EntitiesReply)


async def memory(call: Call, memory_id: MemoryId, *, user: User, view: View) -> None:
    """Show one memory, and what it is connected with.

    Its neighbours in the conversation and in meaning, the facts that it supports, and what changed it.

    Examples:
        ricordo memory 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide
    """
    show = partial(reply_printing.show_memory, view=view)
    await call.ask(lambda client: client.memory(user, memory_id), show)


async def memories(
    call: Call,
    *,
    user: User,
    order: Annotated[str, option("ORDER", "recent, oldest, important, used or feeling.")] = "recent",
    text: Annotated[str | None, option("WORDS", "Words in it, in any case, with or without accents.")] = None,
    page: PageOptions,
    view: View,
    filters: FilterOptions,
) -> None:
    """List memories, page by page.

    A page misses no memory that is there all the time, and shows none twice. --all --json: a line per page.

    Examples:
        ricordo memories --user davide
        ricordo memories --user davide --order important --limit 10 --ids
        ricordo memories --user davide --text 'cane max' --order oldest --all
    """
    nothing = f"no such memories of user {plain(user)!r}"
    request = {"filters": filters.chosen, "text": text, "order": order}
    await _print_pages(
        call,
        page,
        lambda client, **at: client.memories(user, **request, **at),
        lambda reply: reply_printing.show_memories(reply.memories, nothing, view),
    )


async def entities(
    call: Call,
    *,
    user: User,
    kind: Annotated[str | None, option("KIND", "person, animal, place, organisation or thing.")] = None,
    page: PageOptions,
    view: Annotated[View, reworded(ids="Show the ids of facts, which other commands take.")],
) -> None:
    """List whom and what a user has spoken of.

    With their most certain facts, most mentioned first. With --all --json: one line per page.

    Examples:
        ricordo entities --user davide
        ricordo entities --user davide --kind person --all
    """
    show = partial(show_entities, user, view=view)
    await _print_pages(call, page, lambda client, **at: client.entities(user, kind=kind, **at), show)


async def users(
    call: Call,
    *,
    page: PageOptions,
    view: TimesOnly,
) -> None:
    """List the users of a tenant, with their counts.

    Examples:
        ricordo users
        ricordo users --tenant acme --all
    """
    show = partial(reply_printing.show_users, view=view)
    await _print_pages(call, page, lambda client, **at: client.users(**at), show)


async def _print_pages(
    call: Call, page: PageOptions, fetch: Callable[..., Awaitable[P]], show: Callable[[P], None]
) -> None:
    """Print the page that `fetch` returns for a client, a cursor and a limit, or all from it on."""
    cursor = page.cursor
    async with call.client() as client:
        while True:
            reply = await fetch(client, cursor=cursor, limit=page.limit)
            call.print_reply(reply, show)
            cursor = reply.next
            if cursor is None or not page.to_the_end:
                break
    if cursor is not None and not call.as_json:
        total = getattr(reply, "total", None)  # which is not counted of users
        found = "" if total is None else f"{total} in all; "
        print_remark(f"{found}the next page: --cursor {cursor}", "dim")


async def graph(
    call: Call,
    entity: Annotated[str | None, argument("ENTITY", "Its name, in any spelling.")] = None,
    *,
    user: User,
    start: Annotated[str | None, option("NAME", "Entity at which the paths begin.", "--from")] = None,
    end: Annotated[str | None, option("NAME", "Entity at which the paths end.", "--to")] = None,
    depth: Annotated[int, option(None, "Maximum number of facts on the way, 1 to 3.")] = 2,
    min_confidence: Annotated[int, option("N", "Minimum number of supporting messages, up to 10.")] = 3,
) -> None:
    """Show what is around an entity, or what connects two.

    The user is called user. With --from and --to: the strongest paths from one to the other.

    Examples:
        ricordo graph Nora --user davide
        ricordo graph user --user davide --depth 1 --min-confidence 1
        ricordo graph --user davide --from Max --to Lisbona
    """
    if (entity is None) is (start is None) or (start is None) is not (end is None):
        raise Misused("name an entity, or two with --from and --to")
    between = None if start is None or end is None else (start, end)
    limits = {"depth": depth, "min_confidence": min_confidence}
    reply = await call.ask(
        lambda client: client.graph(user, entity, between=between, **limits),
        lambda reply: show_graph(reply, **limits),
    )
    if reply.degraded:
        raise typer.Exit(FAILED)
