"""Facts, entities and the graph as a person reads them, and the sentences that facts rest on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from ricordo.client import MemoryClient
from ricordo.messages.entities import EntitiesReply, EntityCard, GraphEdgeView, GraphReply
from ricordo.messages.queries import FactsReply, Position
from ricordo.messages.views import EntityView, FactView, HistoryMessage
from ricordo_services.cli.output import (
    PLAIN,
    TwoColumns,
    View,
    counted,
    plain,
    print_block,
    print_remark,
    print_text,
    warn_degraded,
)

_AT_ONCE: Final = 1_000
_MOST_COUNTED: Final = 10  # messages in support of a fact
_LONGEST: Final = 300  # characters of a message of which no sentence names the value
_INSTANT: Final = timedelta(microseconds=1)
_SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_USER: Final = "user"  # as the subject of facts


def show_supported_facts(facts: Sequence[FactView], view: View) -> None:
    """Print facts under their heading; nothing where there are none."""
    if facts:
        print_text("\nFacts", "bold")
        print_block(facts_block(facts, view))


def facts_block(facts: Sequence[FactView], view: View = PLAIN, *, since: bool = False) -> RenderableType:
    """Show facts, each with how many messages say it (its `confidence`), how it stands, and its id if wanted.

    Args:
        since: whether it is said since when they hold.
    """
    rows = []
    for fact in facts:
        text = statement(fact)
        if notes := ", ".join(_validity(fact, view, since=since)):
            text.append(f"  ({notes})", "dim")
        rows.append((Text("•" * fact.confidence, "magenta"), text.append(view.id(fact.id), "dim")))
    return TwoColumns(rows)


def entity_head(entity: EntityCard | EntityView, ties: Sequence[str], kind: str = "", seen: str = "") -> Text:
    """Show the names of an entity, how it is tied to the user, and in how many messages it is."""
    line = Text(plain(entity.name), "bold cyan")
    if entity.aliases:
        line.append(f" ({plain(', '.join(entity.aliases))})", "")
    notes = filter(None, (kind, ", ".join(ties), counted(entity.mentions, "messages"), seen))
    return line.append(f"  {'; '.join(notes)}", "dim")


def statement(fact: FactView | GraphEdgeView) -> Text:
    """Show subject, predicate and object of a fact."""
    subject, value = (plain(fact.subject), "bold cyan"), (plain(fact.object), "bold")
    return Text.assemble(subject, "  ", (fact.predicate, "dim"), "  ", value)


def _times_said(confidence: int) -> str:
    """Say what the `confidence` of a fact is: the number of messages that support it, at most 10."""
    return (
        "said once"
        if confidence == 1
        else f"said {confidence} times{' or more' * (confidence == _MOST_COUNTED)}"
    )


def _validity(fact: FactView, view: View, *, since: bool) -> Iterator[str]:
    if fact.confidence:  # else somebody has corrected or verified it, and no message says it
        yield _times_said(fact.confidence)
    if since and fact.valid_from:
        yield f"since {view.time(fact.valid_from)}"
    if fact.valid_to:
        yield f"until {view.time(fact.valid_to)}"
    yield from (mark for mark in ("disputed", "verified") if getattr(fact, mark))


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
    fact: FactView, messages: Mapping[str, HistoryMessage], view: View = PLAIN
) -> list[tuple[Text, Text]]:
    """Return what supports a fact, oldest first: when it was said, the words, and the id of the message."""
    rows = []
    for source in (messages[message_id] for message_id in fact.message_ids if message_id in messages):
        words = plain(sentence_with(fact.object, source.content or ""))
        said = Text.assemble(words, (f"  {plain(source.id)}", "dim"))
        rows.append((Text(f"  {view.time(source.timestamp)}", "dim"), said))
    return rows or [(Text(), Text("the user's decision" if fact.verified else "no source is left", "dim"))]


def sentence_with(value: str, content: str) -> str:
    """Return the sentences of a message that hold `value`; where none does, how the message begins."""
    from ricordo.language.facts.entity_names import normalise  # noqa: PLC0415 - slow to load

    named = [one.strip() for one in _SENTENCES.split(content) if normalise(value) in normalise(one)]
    if named:
        return " ".join(" ".join(named).split())
    begin = " ".join(content.split())
    return begin if len(begin) <= _LONGEST else f"{begin[:_LONGEST]}…"


def show_facts(
    user: str,
    reply: FactsReply,
    view: View = PLAIN,
    *,
    limit: int | None = None,
    messages: Mapping[str, HistoryMessage] | None = None,
) -> None:
    """Print facts, or that there are none; of an entity as a card; with sentences of `messages`, by id."""
    if reply.entity is not None:
        for block in _card(reply.entity, reply.facts, view):
            print_block(block)
    elif reply.facts and messages is None:
        print_block(facts_block(reply.facts, view))
    for fact in reply.facts if messages is not None else ():
        print_block(facts_block([fact], replace(view, ids=True)))
        print_block(TwoColumns(sentences_of(fact, messages or {}, view)))
    if not reply.facts:
        print_remark(f"no facts of user {plain(user)!r}")
    if reply.truncated:
        print_remark("the reply was too large: not everything is shown")
    elif len(reply.facts) == limit:
        print_remark(f"the {limit} most certain facts: --limit shows more")
    warn_degraded(reply.degraded)


def _card(entity: EntityView, facts: Sequence[FactView], view: View) -> list[RenderableType]:
    names = {name.casefold() for name in (entity.name, *entity.aliases)}
    current = (fact for fact in facts if fact.subject == _USER and fact.valid_to is None)
    ties = sorted({fact.predicate for fact in current if fact.object.casefold() in names})
    ordered = sorted(facts, key=lambda fact: fact.predicate)
    blocks: list[RenderableType] = [entity_head(entity, ties)]
    if facts:
        blocks.append(facts_block(ordered, view, since=True))
    near = [
        (
            Text("·" * one.distance, "magenta"),
            Text.assemble((plain(one.name), "bold"), "  ", (", ".join(one.predicates), "dim")),
        )
        for one in entity.neighbours
    ]
    return [*blocks, Text("\nNear", "bold"), TwoColumns(near)] if near else blocks


def show_entities(user: str, reply: EntitiesReply, view: View) -> None:
    """Print entities with their facts, or that there are none."""
    if not reply.entities:
        print_remark(f"no such entities of user {plain(user)!r}")
    for card in reply.entities:
        kind = card.kind.value if card.kind else ""
        seen = f"last seen {view.time(card.last_seen)}" if card.last_seen else ""
        print_block(entity_head(card, card.ties, kind, seen))
        if card.facts:
            print_block(facts_block(card.facts, view))


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
    for edge in edges:
        times = f"  ({_times_said(edge.confidence)})" if edge.confidence else ""
        rows.append((Text("•" * edge.confidence, "magenta"), statement(edge).append(times, "dim")))
    if rows:
        print_block(TwoColumns(rows))
    elif not reply.degraded:
        advice = [f"nothing is connected{' so firmly' if min_confidence > 1 else ''}"]
        advice += ["--min-confidence 1 shows what was said once"] if min_confidence > 1 else []
        advice += ["--depth 3 looks further"] if depth < 3 else []
        print_remark("; ".join(advice))
    if reply.truncated:
        print_text("there is more than is shown", "dim")
    warn_degraded(reply.degraded)
