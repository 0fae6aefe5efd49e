"""Facts as a person reads them: a list, or the card of an entity; with the sentences behind them."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta, tzinfo
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from ricordo.client import MemoryClient
from ricordo.messages.queries import FactsReply, Position
from ricordo.messages.views import EntityView, FactView, HistoryMessage
from ricordo_services.cli.output import err_console, local_text, plain, print_block
from ricordo_services.cli.reply_printing import TwoColumns, facts_block, validity, warn_degraded

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
    sources = [messages[message_id] for message_id in fact.message_ids if message_id in messages]
    if not sources:
        return [(Text(), Text("the user's decision" if fact.verified else "no source is left", "dim"))]
    return [
        (
            Text(f"  {local_text(source.timestamp, zone)}", "dim"),
            Text.assemble(
                plain(sentence_with(fact.object, source.content or "")), (f"  {plain(source.id)}", "dim")
            ),
        )
        for source in sources
    ]


def sentence_with(value: str, content: str) -> str:
    """Return the sentences of a message that hold `value`; where none does, how the message begins."""
    from ricordo.memory.facts import normalise  # noqa: PLC0415 - slow to load

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
    """Print facts, or that there are none; those about an entity as a card.

    Args:
        ids: whether each fact's id is shown.
        messages: those whose sentences are shown with each fact, by id.
    """
    if reply.entity is not None:
        for block in _card(user, reply.entity, reply.facts, zone, ids=ids):
            print_block(block)
    elif reply.facts and messages is None:
        print_block(facts_block(reply.facts, zone, ids=ids))
    for fact in reply.facts if messages is not None else ():
        print_block(facts_block([fact], zone, ids=True))
        print_block(TwoColumns(sentences_of(fact, messages or {}, zone)))
    if not reply.facts:
        err_console().print(Text(f"no facts of user {plain(user)!r}"))
    if reply.truncated:
        err_console().print(Text("the reply was too large: not everything is shown"))
    elif len(reply.facts) == limit:
        err_console().print(Text(f"the {limit} most certain facts: --limit shows more"))
    warn_degraded(reply.degraded)


def _card(
    user: str, entity: EntityView, facts: Sequence[FactView], zone: tzinfo | None, *, ids: bool
) -> list[RenderableType]:
    blocks: list[RenderableType] = [
        Text(plain(entity.name), "bold cyan"),
        TwoColumns(_head(user, entity, facts)),
    ]
    for predicate in sorted({fact.predicate for fact in facts}):
        rows = [_row(entity, fact, zone, ids=ids) for fact in facts if fact.predicate == predicate]
        blocks += [Text(f"\n{predicate}", "bold"), TwoColumns(rows)]
    if entity.neighbours:
        near = [
            (
                Text("·" * one.distance, "magenta"),
                Text.assemble((plain(one.name), "bold"), "  ", (", ".join(one.predicates), "dim")),
            )
            for one in entity.neighbours
        ]
        blocks += [Text("\nNear", "bold"), TwoColumns(near)]
    return blocks


def _head(user: str, entity: EntityView, facts: Sequence[FactView]) -> list[tuple[Text, Text]]:
    lines = [("known from", f"{entity.mentions:,} message{'' if entity.mentions == 1 else 's'}")]
    if entity.aliases:
        lines.insert(0, ("also called", plain(", ".join(entity.aliases))))
    if ties := sorted({fact.predicate for fact in facts if _ties(fact, entity)}):
        lines.append((f"to {plain(user)}", ", ".join(ties)))
    return [(Text(name, "dim"), Text(value)) for name, value in lines]


def _ties(fact: FactView, entity: EntityView) -> bool:
    """Whether a fact that holds ties the entity to the user; another one may share its name."""
    names = {name.casefold() for name in (entity.name, *entity.aliases)}
    return fact.subject == _USER and fact.valid_to is None and fact.object.casefold() in names


def _row(entity: EntityView, fact: FactView, zone: tzinfo | None, *, ids: bool) -> tuple[Text, Text]:
    """Show the other end of a fact, since when it holds, and how it stands."""
    text = Text(plain(fact.object), "bold")
    if fact.subject != entity.name:
        text = Text.assemble((plain(fact.subject), "bold cyan"), "  ", (plain(fact.object), "bold"))
    since = f"since {local_text(fact.valid_from, zone)}" if fact.valid_from else ""
    if notes := ", ".join(filter(None, (since, validity(fact, zone)))):
        text.append(f"  ({notes})", "dim")
    if ids:
        text.append(f"  {fact.id}", "dim")
    return Text("•" * fact.confidence, "magenta"), text
