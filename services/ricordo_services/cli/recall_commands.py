"""`ricordo recall` and `ricordo context`."""

from typing import Annotated

import typer

from ricordo_services.cli.client_calls import Call, rpc_command
from ricordo_services.cli.command_options import Ids, User, argument, flag, option
from ricordo_services.cli.failures import FAILED
from ricordo_services.cli.output import zone_of
from ricordo_services.cli.reply_printing import is_unanswered, show_context, show_recall

Query = Annotated[str, argument("QUERY", "What to look for, in your own words.")]
Limit = Annotated[int, option("--limit", "N", "At most so many memories, 1 to 200.")]
Profile = Annotated[
    str | None,
    option(
        "--profile", "NAME", "How they are ranked: weighted, multiplicative, generative, budget or human."
    ),
]
Spoken = Annotated[str | None, option("--language", "CODE", "it or en.")]
Now = Annotated[str | None, option("--now", "INSTANT", "The moment of asking, with an offset.")]
Zone = Annotated[str | None, option("--timezone", "ZONE", "Such as Europe/Rome.")]
Place = Annotated[
    str | None,
    option(
        "--conversation", "ID", "In which one it is asked. Filters nothing: memories come from all of them."
    ),
]
Present = Annotated[
    str | None,
    option(
        "--conversation",
        "ID",
        "The one that goes on: recent turns are its own, and what is at hand in it is added. Memories "
        "and facts come from all of them.",
    ),
]
Explain = Annotated[bool, flag("--explain", "Show what each score is made of.")]
Reinforce = Annotated[
    bool, flag("--reinforce/--no-reinforce", "Whether being recalled strengthens a memory.")
]
Start = Annotated[str | None, option("--start", "INSTANT", "Not before this.")]
End = Annotated[str | None, option("--end", "INSTANT", "Before this.")]
Participants = Annotated[list[str] | None, option("--participant", "NAME", "With one of these.")]
Topics = Annotated[list[str] | None, option("--topic", "WORD", "About one of these.")]
Types = Annotated[list[str] | None, option("--type", "TYPE", "episodic, semantic, procedural, emotional.")]
Kinds = Annotated[list[str] | None, option("--kind", "KIND", "message, note, agreement, decision, ...")]
Feeling = Annotated[str | None, option("--emotion", "SIGN", "positive, negative or neutral.")]
Weight = Annotated[float | None, option("--min-importance", "0..1", "At least so important.")]
Archived = Annotated[bool, flag("--archived", "Search the archive too.")]
Uninformative = Annotated[
    bool, flag("--uninformative", "Search questions, thanks and shrugs too, which tell nothing.")
]
Budget = Annotated[int, option("--token-budget", "N", "The text has at most so many tokens.")]
Recent = Annotated[int, option("--recent-limit", "N", "At most so many recent turns.")]


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
