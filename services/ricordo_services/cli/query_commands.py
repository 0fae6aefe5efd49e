"""`ricordo recall|context|answer|history|timeline|expand|facts|working|status|stats`: queries."""

from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer

from ricordo.messages.enumerations import AnswerStyle
from ricordo.messages.queries import TimelineReply
from ricordo_services.cli import reply_printing
from ricordo_services.cli.client_calls import Call
from ricordo_services.cli.fact_printing import show_facts, supporting
from ricordo_services.cli.failures import FAILED
from ricordo_services.cli.options import (
    Conversation,
    FilterOptions,
    Ids,
    Limit,
    MemoryId,
    Query,
    QuestionOptions,
    User,
    argument,
    flag,
    option,
    reworded,
)
from ricordo_services.cli.output import TimesOnly, View, plain, print_remark


async def recall(
    call: Call,
    query: Query,
    *,
    user: User,
    ids: Ids = False,
    explain: Annotated[bool, flag("--explain", "Show the signals of each score.")] = False,
    question: QuestionOptions,
    filters: FilterOptions,
) -> None:
    """Search memories.

    Examples:
        ricordo recall 'Cosa abbiamo fatto ieri?' --user davide
        ricordo recall 'how do I make pesto?' --user davide --explain --limit 5
        ricordo recall 'the trip' --user davide --type episodic --emotion positive --ids
    """
    options = asdict(question) | {"explain": explain, "filters": filters.chosen}
    show = partial(reply_printing.show_recall, view=View(ids=ids, timezone=question.timezone))
    reply = await call.ask(lambda memory: memory.recall(user, query, **options), show)
    if reply_printing.is_unanswered(reply):
        raise typer.Exit(FAILED)


async def context(
    call: Call,
    query: Query,
    *,
    user: User,
    token_budget: Annotated[int, option("N", "Maximum size of the text in tokens.")] = 2000,
    recent_limit: Annotated[int, option("N", "Maximum number of recent turns.")] = 10,
    question: Annotated[
        QuestionOptions, reworded(conversation_id="Its last turns are included. It does not filter.")
    ],
) -> None:
    """Get memories, facts and recent turns as text for a prompt.

    Examples:
        ricordo context 'Cosa sai di Nora?' --user davide --token-budget 800
    """
    options = asdict(question) | {"token_budget": token_budget, "recent_limit": recent_limit}
    await call.ask(lambda memory: memory.context(user, query, **options), reply_printing.show_context)


async def answer(
    call: Call,
    query: Annotated[str, argument("QUERY", "A question.")],
    *,
    user: User,
    full: Annotated[bool, flag("--full", "Add former values, and all passages in support.")] = False,
    question: QuestionOptions,
    filters: FilterOptions,
) -> None:
    """Answer a question from memories and facts.

    A fact is said in a sentence, else a passage is quoted. Where the memory does not suffice, it says so.
    Its `confidence` is the probability that it is right, 0 to 1; that of a fact counts messages.

    Examples:
        ricordo answer 'Dove vivo?' --user davide
        ricordo answer 'When did we go to Genoa?' --user davide --full
    """
    style = AnswerStyle.FULL if full else AnswerStyle.SHORT
    options = asdict(question) | {"style": style, "filters": filters.chosen}
    reply = await call.ask(lambda memory: memory.answer(user, query, **options), reply_printing.show_answer)
    if reply.degraded and not reply.answered:
        raise typer.Exit(FAILED)


async def history(
    call: Call,
    *,
    user: User,
    conversation_id: Annotated[str | None, option("ID", "This conversation only.", "--conversation")] = None,
    before: Annotated[str | None, option("PLACE", "A time, or the `next` of an earlier reply.")] = None,
    limit: Limit = 20,
    view: TimesOnly,
) -> None:
    """Show the last messages verbatim.

    Examples:
        ricordo history --user davide --limit 50
    """
    await call.ask(
        lambda memory: memory.history(user, conversation_id=conversation_id, before=before, limit=limit),
        partial(reply_printing.show_history, user, view=view),
    )


async def timeline(
    call: Call,
    *,
    user: User,
    start: Annotated[str, option("INSTANT", "Start (included), such as 2026-03-02T19:10:00+01:00.")],
    end: Annotated[str | None, option("INSTANT", "End of the period (excluded). Default: now.")] = None,
    limit: Limit = 100,
    view: View,
) -> None:
    """Show the memories of a period, oldest first.

    Examples:
        ricordo timeline --user davide --start 2026-03-01T00:00:00+01:00
        ricordo timeline --user davide --start 2026-03-01T00:00:00Z --end 2026-03-08T00:00:00Z --ids
    """
    nothing = f"no memories of user {plain(user)!r} in that period"

    def show(reply: TimelineReply) -> None:
        reply_printing.show_memories(reply.memories, nothing, view)
        if len(reply.memories) == limit:
            print_remark("there may be more: --limit shows up to 1,000", "dim")

    await call.ask(lambda memory: memory.timeline(user, start, end or datetime.now(UTC), limit=limit), show)


async def expand(call: Call, memory_id: MemoryId, *, user: User, view: View) -> None:
    """Show the sources of a memory, oldest first.

    Summaries, syntheses and reflections have sources; of a message with a document, these are its extracts.

    Examples:
        ricordo expand 47b5ef90-e7b7-56be-9896-dcb1dd467f99 --user davide
    """
    await call.ask(
        lambda memory: memory.expand(user, memory_id),
        lambda reply: reply_printing.show_memories(reply.memories, "it has no sources", view),
    )


async def facts(
    call: Call,
    *,
    user: User,
    entity: Annotated[str | None, option("NAME", "Name of a person or thing.")] = None,
    predicate: Annotated[str | None, option("NAME", "Such as lives_in or likes.")] = None,
    min_confidence: Annotated[float, option("N", "Minimum number of supporting messages, up to 10.")] = 1,
    as_of: Annotated[str | None, option("INSTANT", "Facts that were valid at this time.")] = None,
    history: Annotated[bool, flag("--history", "Include facts that are no longer valid.")] = False,
    why: Annotated[bool, flag("--why", "Show the ids and the sentences that support each fact.")] = False,
    limit: Limit = 50,
    view: Annotated[View, reworded(ids="Show the ids, which `verify`, `correct` and `reject` take.")],
) -> None:
    """Show the facts of a user, each with how many messages say it: its `confidence`, at most 10.

    With --entity: the names of a person or thing, its relation to the user, its facts and its neighbours.

    Examples:
        ricordo facts --user davide
        ricordo facts --user davide --entity Nora
        ricordo facts --user davide --predicate lives_in --history --ids
        ricordo facts --user davide --why
    """
    async with call.client() as client:
        reply = await client.facts(
            user,
            entity=entity,
            predicate=predicate,
            min_confidence=min_confidence,
            as_of=as_of,
            history=history,
            limit=limit,
        )
        messages = await supporting(client, user, reply.facts) if why and not call.as_json else None
    call.print_reply(reply, partial(show_facts, user, view=view, limit=limit, messages=messages))


async def working(call: Call, *, user: User, conversation: Conversation) -> None:
    """Show the working memory of a conversation: its last turns, names and notes.

    Examples:
        ricordo working --user davide --conversation c-1
    """
    await call.ask(lambda memory: memory.working(user, conversation), reply_printing.show_working)


async def status(
    call: Call, message_id: Annotated[str, argument("ID", "Id of the message.")], *, view: TimesOnly
) -> None:
    """Show the progress of a message.

    Examples:
        ricordo status m-1
    """
    show = partial(reply_printing.show_status, message_id, view=view)
    await call.ask(lambda memory: memory.status(message_id), show)


async def stats(call: Call, *, user: User) -> None:
    """Show the counts of a user.

    Examples:
        ricordo stats --user davide
    """
    await call.ask(lambda memory: memory.stats(user), partial(reply_printing.show_stats, user))
