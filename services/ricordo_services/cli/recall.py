"""`ricordo recall` and `ricordo context`."""

from typing import Annotated

import typer

from ricordo_services.cli.failures import FAILED
from ricordo_services.cli.options import Ids, User
from ricordo_services.cli.output import zone_of
from ricordo_services.cli.servers import Call, rpc_command
from ricordo_services.cli.views import is_unanswered, show_context, show_recall

Query = Annotated[
    str, typer.Argument(metavar="QUERY", help="What to look for, in your own words.", show_default=False)
]
Limit = Annotated[int, typer.Option(metavar="N", help="At most so many memories, 1 to 200.")]
Profile = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How they are ranked: weighted, multiplicative, generative, budget or human.",
        show_default=False,
    ),
]
Spoken = Annotated[
    str | None, typer.Option("--language", metavar="CODE", help="it or en.", show_default=False)
]
Now = Annotated[
    str | None,
    typer.Option(metavar="INSTANT", help="The moment of asking, with an offset.", show_default=False),
]
Zone = Annotated[
    str | None, typer.Option("--timezone", metavar="ZONE", help="Such as Europe/Rome.", show_default=False)
]
Place = Annotated[
    str | None,
    typer.Option(
        "--conversation",
        metavar="ID",
        help="In which one it is asked. Filters nothing: memories come from all of them.",
        show_default=False,
    ),
]
Present = Annotated[
    str | None,
    typer.Option(
        "--conversation",
        metavar="ID",
        help="The one that goes on: recent turns are its own, and what is at hand in it is added. Memories "
        "and facts come from all of them.",
        show_default=False,
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show what each score is made of.")]
Reinforce = Annotated[bool, typer.Option(help="Whether being recalled strengthens a memory.")]
Start = Annotated[str | None, typer.Option(metavar="INSTANT", help="Not before this.", show_default=False)]
End = Annotated[str | None, typer.Option(metavar="INSTANT", help="Before this.", show_default=False)]
Participants = Annotated[
    list[str] | None,
    typer.Option("--participant", metavar="NAME", help="With one of these.", show_default=False),
]
Topics = Annotated[
    list[str] | None, typer.Option("--topic", metavar="WORD", help="About one of these.", show_default=False)
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type", metavar="TYPE", help="episodic, semantic, procedural, emotional.", show_default=False
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", metavar="KIND", help="message, note, agreement, decision, ...", show_default=False
    ),
]
Feeling = Annotated[
    str | None,
    typer.Option("--emotion", metavar="SIGN", help="positive, negative or neutral.", show_default=False),
]
Weight = Annotated[
    float | None,
    typer.Option("--min-importance", metavar="0..1", help="At least so important.", show_default=False),
]
Archived = Annotated[bool, typer.Option("--archived", help="Search the archive too.")]
Uninformative = Annotated[
    bool, typer.Option("--uninformative", help="Search questions, thanks and shrugs too, which tell nothing.")
]
Budget = Annotated[
    int, typer.Option("--token-budget", metavar="N", help="The text has at most so many tokens.")
]
Recent = Annotated[int, typer.Option("--recent-limit", metavar="N", help="At most so many recent turns.")]


@rpc_command
async def recall(
    call: Call,
    query: Query,
    *,
    user: User,
    limit: Limit = 10,
    explain: Explain = False,
    profile: Profile = None,
    language: Spoken = None,
    now: Now = None,
    timezone: Zone = None,
    conversation: Place = None,
    reinforce: Reinforce = True,
    start: Start = None,
    end: End = None,
    participant: Participants = None,
    topic: Topics = None,
    type_: Types = None,
    kind: Kinds = None,
    emotion: Feeling = None,
    min_importance: Weight = None,
    archived: Archived = False,
    uninformative: Uninformative = False,
    ids: Ids = False,
) -> None:
    """Ask for memories."""
    zone = zone_of(timezone)
    filters = _filters(
        start=start,
        end=end,
        participants=participant,
        topics=topic,
        types=type_,
        kinds=kind,
        emotion=emotion,
        min_importance=min_importance,
        include_archived=archived,
        include_uninformative=uninformative,
    )
    async with call.client() as client:
        reply = await client.recall(
            user,
            query,
            limit=limit,
            conversation_id=conversation,
            now=now,
            timezone=timezone,
            language=language,
            profile=profile,
            explain=explain,
            filters=filters,
            reinforce=reinforce,
        )
    call.print_reply(reply, lambda found: show_recall(found, zone, ids=ids))
    if is_unanswered(reply):
        raise typer.Exit(FAILED)


@rpc_command
async def context(
    call: Call,
    query: Query,
    *,
    user: User,
    limit: Limit = 10,
    token_budget: Budget = 2000,
    recent_limit: Recent = 10,
    profile: Profile = None,
    language: Spoken = None,
    now: Now = None,
    timezone: Zone = None,
    conversation: Present = None,
    reinforce: Reinforce = True,
) -> None:
    """Ask for memories, facts and recent turns as text for a prompt."""
    async with call.client() as client:
        reply = await client.context(
            user,
            query,
            limit=limit,
            token_budget=token_budget,
            recent_limit=recent_limit,
            conversation_id=conversation,
            now=now,
            timezone=timezone,
            language=language,
            profile=profile,
            reinforce=reinforce,
        )
    call.print_reply(reply, show_context)


def _filters(**said: object) -> dict[str, object] | None:
    chosen = {name: value for name, value in said.items() if value is not None and value is not False}
    return chosen or None
