"""`ricordo entities|graph`: whom and what a user has spoken of, and how they are connected."""

from datetime import tzinfo

import typer
from rich.text import Text

from ricordo.messages.entities import EntitiesReply, EntityCard, GraphReply
from ricordo_services.cli.browsing_commands import print_pages
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
from ricordo_services.cli.query_commands import Options
from ricordo_services.cli.reply_printing import TwoColumns, facts_block, warn_degraded


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
    **options: Options,
) -> None:
    """Show what is around an entity, or what connects two."""
    if (entity is None) is (start is None) or (start is None) is not (end is None):
        raise Misused("name an entity, or two with --from and --to")
    between = None if start is None or end is None else (start, end)
    async with call.client() as client:
        reply = await client.graph(user, entity, between=between, **options)
    call.print_reply(reply, _show_graph)
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


def _show_graph(reply: GraphReply) -> None:
    """Print paths, or else facts; and what could not be asked."""
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
        print_remark("nothing is connected so firmly; --min-confidence 1 shows what was said once")
    if reply.truncated:
        print_text("there is more than is shown", "dim")
    warn_degraded(reply.degraded)
