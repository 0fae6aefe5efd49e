"""Truncates replies that exceed the size limit of the bus, from the lowest rank, and marks them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from ricordo.messages.codec import encode
from ricordo.messages.entities import EntitiesReply, EntityCard, GraphReply
from ricordo.messages.listings import MemoriesReply, MemoryReply
from ricordo.messages.message_types import Message
from ricordo.messages.queries import (
    ContextReply,
    ExpandReply,
    FactsReply,
    HistoryReply,
    RecallReply,
    TimelineReply,
)
from ricordo.messages.views import FactView, HistoryMessage, MemoryView

Shown = TypeVar("Shown", bound=Message)
Text = TypeVar("Text", MemoryView, HistoryMessage)
Memories = TypeVar("Memories", RecallReply, TimelineReply, ExpandReply, MemoriesReply)

_SPARE = 2_000  # bytes of the flags and the reply's own fields
_MESSAGES: Final = 5  # latest supporting messages that a truncated fact names


def fit_memories(reply: Memories, limit: int) -> Memories:
    """Truncate a list of memories, from its end."""
    memories, _ = _from_the_end(reply.memories, _excess(reply, limit), _without_text)
    return reply.model_copy(update={"memories": memories})


def fit_context(reply: ContextReply, limit: int) -> ContextReply:
    """Truncate a context reply: its memories from the lowest rank up, then its turns from the oldest.

    The text for the prompt stays: it is limited to half of a reply by itself.
    """
    memories, excess = _from_the_end(reply.memories, _excess(reply, limit), _without_text)
    recent, _ = _shortened(reply.recent, excess, _without_text)
    return reply.model_copy(update={"memories": memories, "recent": recent})


def fit_history(reply: HistoryReply, limit: int) -> HistoryReply:
    """Truncate a history, from its oldest message."""
    messages, _ = _shortened(reply.messages, _excess(reply, limit), _without_text)
    return reply.model_copy(update={"messages": messages})


def fit_facts(reply: FactsReply, limit: int) -> FactsReply:
    """Truncate a list of facts, from its end: first their message ids, then the list itself."""
    facts, excess = _from_the_end(reply.facts, _excess(reply, limit), _without_messages)
    facts, _ = _from_the_end(facts, excess, _left_out)
    return reply.model_copy(update={"facts": facts, "truncated": facts != reply.facts})


def fit_memory(reply: MemoryReply, limit: int) -> MemoryReply:
    """Truncate what is told of one memory: the message ids of its facts."""
    facts, _ = _from_the_end(reply.facts, _excess(reply, limit), _without_messages)
    return reply.model_copy(update={"facts": facts})


def fit_entities(reply: EntitiesReply, limit: int) -> EntitiesReply:
    """Truncate cards, from the last one up: their facts and other names."""
    entities, _ = _from_the_end(reply.entities, _excess(reply, limit), _name_alone)
    return reply.model_copy(update={"entities": entities})


def fit_graph(reply: GraphReply, limit: int) -> GraphReply:
    """Truncate a part of the graph, from its last edge."""
    edges, _ = _from_the_end(reply.edges, _excess(reply, limit), _left_out)
    cut = len(edges) < len(reply.edges)
    return reply.model_copy(update={"edges": edges, "truncated": reply.truncated or cut})


def _excess(reply: Message, limit: int) -> int:
    return len(encode(reply)) - limit + _SPARE


def _without_text(shown: Text) -> Text:
    return shown.model_copy(update={"content": None, "truncated": True})


def _without_messages(fact: FactView) -> FactView:
    return fact.model_copy(update={"message_ids": fact.message_ids[-_MESSAGES:]})


def _name_alone(card: EntityCard) -> EntityCard:
    return card.model_copy(update={"facts": (), "aliases": (), "truncated": True})


def _left_out(_: Message) -> None:
    return None


def _from_the_end(
    shown: Sequence[Shown], excess: int, shorten: Callable[[Shown], Shown | None]
) -> tuple[tuple[Shown, ...], int]:
    """Shorten from the last one up while there is an excess; return all, and the remaining excess."""
    kept, left = _shortened(reversed(shown), excess, shorten)
    return kept[::-1], left


def _shortened(
    shown: Iterable[Shown], excess: int, shorten: Callable[[Shown], Shown | None]
) -> tuple[tuple[Shown, ...], int]:
    """Shorten one after the other, or leave it out, while there is an excess."""
    kept: list[Shown] = []
    for one in shown:
        short = shorten(one) if excess > 0 else one
        if short is not one:
            excess -= len(encode(one)) - (0 if short is None else len(encode(short)))
        if short is not None:
            kept.append(short)
    return tuple(kept), excess
