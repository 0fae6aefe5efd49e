"""`ricordo history|facts|status|stats`: what is kept, known, under way."""

from functools import partial
from typing import Annotated

import typer

from ricordo_services.cli.asking import asking
from ricordo_services.cli.fact_sentences import supporting
from ricordo_services.cli.fact_view import show_facts
from ricordo_services.cli.options import Conversation, DataDir, Json, Nats, ShownZone, Tenant, User
from ricordo_services.cli.views import show_history, show_stats, show_status
from ricordo_services.cli.zones import zone_of

Limit = Annotated[int, typer.Option(metavar="N", help="At most so many, 1 to 1,000.")]


async def history(
    context: typer.Context,
    *,
    user: User,
    conversation: Conversation = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="An instant, or the `next` of a reply.", show_default=False),
    ] = None,
    limit: Limit = 20,
    timezone: ShownZone = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show the last messages, word for word."""
    zone = zone_of(timezone)
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.history(user, conversation_id=conversation, before=before, limit=limit)
    question.answer(reply, lambda found: show_history(user, found, zone))


async def facts(
    context: typer.Context,
    *,
    user: User,
    entity: Annotated[
        str | None, typer.Option(metavar="NAME", help="About whom or what.", show_default=False)
    ] = None,
    predicate: Annotated[
        str | None, typer.Option(metavar="NAME", help="Such as lives_in or likes.", show_default=False)
    ] = None,
    min_confidence: Annotated[
        float, typer.Option(metavar="N", help="Said in at least so many messages, up to 10.")
    ] = 1,
    as_of: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="What held at that moment.", show_default=False)
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Show what no longer holds, too.")] = False,
    ids: Annotated[
        bool, typer.Option("--ids", help="Show the id of each, which `verify`, `correct` and `reject` take.")
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Show the sentences that each rests on, with its id.")
    ] = False,
    limit: Limit = 50,
    timezone: ShownZone = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show what is known of a user, or of somebody whom the user has spoken of."""
    zone = zone_of(timezone)
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.facts(
            user,
            entity=entity,
            predicate=predicate,
            min_confidence=min_confidence,
            as_of=as_of,
            history=history,
            limit=limit,
        )
        said = await supporting(client, user, reply.facts) if why and not as_json else None
    question.answer(reply, lambda found: show_facts(user, found, zone, ids=ids, limit=limit, said=said))


async def status(
    context: typer.Context,
    message_id: Annotated[str, typer.Argument(metavar="ID", help="Of the message.", show_default=False)],
    *,
    timezone: ShownZone = None,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show how far a message got."""
    zone = zone_of(timezone)
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.status(message_id)
    question.answer(reply, lambda found: show_status(message_id, found, zone))


async def stats(
    context: typer.Context,
    *,
    user: User,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Count what is remembered of a user."""
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    async with question.client() as client:
        reply = await client.stats(user)
    question.answer(reply, partial(show_stats, user))
