"""`ricordo recall|context|answer|history|timeline|expand|facts|working|status|stats`: queries."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from typing import Final

import typer
from rich.console import RenderableType
from rich.text import Text

from ricordo.client import MemoryClient
from ricordo.messages.enumerations import AnswerStyle
from ricordo.messages.filters import Filters
from ricordo.messages.queries import FactsReply, Position, TimelineReply, WorkingReply
from ricordo.messages.views import EntityView, FactView, HistoryMessage
from ricordo_services.cli import reply_printing
from ricordo_services.cli.client_calls import Call, Option
from ricordo_services.cli.failures import FAILED
from ricordo_services.cli.output import local_text, plain, print_block, print_remark, print_text, zone_of

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
    rows = []
    for source in (messages[message_id] for message_id in fact.message_ids if message_id in messages):
        words = plain(sentence_with(fact.object, source.content or ""))
        said = Text.assemble(words, (f"  {plain(source.id)}", "dim"))
        rows.append((Text(f"  {local_text(source.timestamp, zone)}", "dim"), said))
    return rows or [(Text(), Text("the user's decision" if fact.verified else "no source is left", "dim"))]


def sentence_with(value: str, content: str) -> str:
    """Return the sentences of a message that hold `value`; where none does, how the message begins."""
    from ricordo.language.facts.entity_names import normalise  # noqa: PLC0415 - slow to load

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
    """Print facts, or that there are none; of an entity as a card; with sentences of `messages`, by id."""
    if reply.entity is not None:
        for block in _card(reply.entity, reply.facts, zone, ids=ids):
            print_block(block)
    elif reply.facts and messages is None:
        print_block(reply_printing.facts_block(reply.facts, zone, ids=ids))
    for fact in reply.facts if messages is not None else ():
        print_block(reply_printing.facts_block([fact], zone, ids=True))
        print_block(reply_printing.TwoColumns(sentences_of(fact, messages or {}, zone)))
    if not reply.facts:
        print_remark(f"no facts of user {plain(user)!r}")
    if reply.truncated:
        print_remark("the reply was too large: not everything is shown")
    elif len(reply.facts) == limit:
        print_remark(f"the {limit} most certain facts: --limit shows more")
    reply_printing.warn_degraded(reply.degraded)


def _card(
    entity: EntityView, facts: Sequence[FactView], zone: tzinfo | None, *, ids: bool
) -> list[RenderableType]:
    names = {name.casefold() for name in (entity.name, *entity.aliases)}
    current = (fact for fact in facts if fact.subject == _USER and fact.valid_to is None)
    ties = sorted({fact.predicate for fact in current if fact.object.casefold() in names})
    blocks: list[RenderableType] = [reply_printing.entity_head(entity, ties)]
    for predicate in sorted({fact.predicate for fact in facts}):
        rows = [_row(entity, fact, zone, ids=ids) for fact in facts if fact.predicate == predicate]
        blocks += [Text(f"\n{predicate}", "bold"), reply_printing.TwoColumns(rows)]
    near = [
        (
            Text("·" * one.distance, "magenta"),
            Text.assemble((plain(one.name), "bold"), "  ", (", ".join(one.predicates), "dim")),
        )
        for one in entity.neighbours
    ]
    return [*blocks, Text("\nNear", "bold"), reply_printing.TwoColumns(near)] if near else blocks


def _row(entity: EntityView, fact: FactView, zone: tzinfo | None, *, ids: bool) -> tuple[Text, Text]:
    """Show the other end of a fact, since when it holds, and how it stands."""
    text = Text(plain(fact.object), "bold")
    if fact.subject != entity.name:
        text = Text.assemble((plain(fact.subject), "bold cyan"), "  ", (plain(fact.object), "bold"))
    since = f"since {local_text(fact.valid_from, zone)}" if fact.valid_from else ""
    notes = ", ".join(filter(None, (since, reply_printing.validity(fact, zone))))
    return reply_printing.fact_row(fact, text, notes, ids=ids)


async def recall(
    call: Call, query: str, *, user: str, ids: bool = False, within: str | None = None, **options: Option
) -> None:
    """Search memories."""
    show = partial(reply_printing.show_recall, zone=zone_of(options["timezone"]), ids=ids)
    filters = chosen_filters(options, within)
    reply = await call.ask(lambda memory: memory.recall(user, query, filters=filters, **options), show)
    if reply_printing.is_unanswered(reply):
        raise typer.Exit(FAILED)


def chosen_filters(options: dict[str, Option], within: str | None) -> dict[str, Option] | None:
    """Remove the filters from options, and return those that were given."""
    names = Filters.model_fields.keys() - {"conversation_id"}  # which is the one of the question
    filters = {**{name: options.pop(name) for name in names}, "conversation_id": within}
    return {
        name: value for name, value in filters.items() if value is not None and value is not False
    } or None


async def context(call: Call, query: str, *, user: str, **options: Option) -> None:
    """Get memories, facts and recent turns as text for a prompt."""
    await call.ask(lambda memory: memory.context(user, query, **options), reply_printing.show_context)


async def answer(
    call: Call, query: str, *, user: str, full: bool = False, within: str | None = None, **options: Option
) -> None:
    """Answer a question from memories and facts."""
    options |= {"style": AnswerStyle.FULL if full else AnswerStyle.SHORT}
    options |= {"filters": chosen_filters(options, within)}
    reply = await call.ask(lambda memory: memory.answer(user, query, **options), reply_printing.show_answer)
    if reply.degraded and not reply.answered:
        raise typer.Exit(FAILED)


async def history(call: Call, *, user: str, timezone: str | None = None, **options: Option) -> None:
    """Show the last messages, word for word."""
    show = partial(reply_printing.show_history, user, zone=zone_of(timezone))
    await call.ask(lambda memory: memory.history(user, **options), show)


async def facts(
    call: Call,
    *,
    user: str,
    ids: bool = False,
    why: bool = False,
    limit: int = 50,
    timezone: str | None = None,
    **options: Option,
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
    show = partial(reply_printing.show_status, message_id, zone=zone_of(timezone))
    await call.ask(lambda memory: memory.status(message_id), show)


async def stats(call: Call, *, user: str) -> None:
    """Show the counts of a user."""
    await call.ask(lambda memory: memory.stats(user), partial(reply_printing.show_stats, user))


async def timeline(call: Call, *, user: str, start: str, **options: Option) -> None:
    """Show the memories of a span of time, oldest first."""
    zone, nothing = zone_of(options["timezone"]), f"no memories of user {plain(user)!r} in that period"
    end, limit = options["end"] or datetime.now(UTC), options["limit"]

    def show(reply: TimelineReply) -> None:
        reply_printing.show_memories(reply.memories, zone, nothing, ids=options["ids"])
        if len(reply.memories) == limit:
            print_remark("there may be more: --limit shows up to 1,000", "dim")

    await call.ask(lambda memory: memory.timeline(user, start, end, limit=limit), show)


async def expand(call: Call, memory_id: str, *, user: str, **options: Option) -> None:
    """Show what a memory rests on, oldest first."""
    zone, nothing = zone_of(options["timezone"]), "it has no sources"
    await call.ask(
        lambda memory: memory.expand(user, memory_id),
        lambda reply: reply_printing.show_memories(reply.memories, zone, nothing, ids=options["ids"]),
    )


async def working(call: Call, *, user: str, conversation: str) -> None:
    """Show the working memory of a conversation."""
    await call.ask(lambda memory: memory.working(user, conversation), _show_working)


def _show_working(reply: WorkingReply) -> None:
    if not (reply.lines or reply.entities or reply.notes):
        print_text("The working memory is empty.", "dim")
    for line in reply.lines:
        print_text(line)
    rows = [(Text("named last", "dim"), Text(plain(", ".join(reply.entities))))] if reply.entities else []
    for key, value in reply.notes.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        rows.append((Text(plain(key), "bold cyan"), Text(plain(text))))
    if rows:
        print_block(reply_printing.TwoColumns(rows))
