"""Truncates replies that exceed the size limit of the bus, from the lowest rank, and marks them."""

import json
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from ricordo.messages.codec import encode
from ricordo.messages.entities import EntitiesReply, GraphReply
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

Shown = TypeVar("Shown", MemoryView, HistoryMessage)
Memories = TypeVar("Memories", RecallReply, TimelineReply, ExpandReply, MemoriesReply)

_SPARE = 2_000  # bytes of the flags and the reply's own fields
_MESSAGES: Final = 5  # latest supporting messages that a truncated fact names


def fit_memories(reply: Memories, limit: int) -> Memories:
    """Truncate a list of memories, from its end."""
    memories, _ = _from_the_end(reply.memories, _excess(reply, limit))
    return reply.model_copy(update={"memories": memories})


def fit_context(reply: ContextReply, limit: int) -> ContextReply:
    """Truncate a context reply: its memories from the lowest rank up, then its turns from the oldest.

    The text for the prompt stays: it is limited to half of a reply by itself.
    """
    memories, excess = _from_the_end(reply.memories, _excess(reply, limit))
    recent, _ = _without_text(reply.recent, excess)
    return reply.model_copy(update={"memories": memories, "recent": recent})


def fit_history(reply: HistoryReply, limit: int) -> HistoryReply:
    """Truncate a history, from its oldest message."""
    messages, _ = _without_text(reply.messages, _excess(reply, limit))
    return reply.model_copy(update={"messages": messages})


def fit_facts(reply: FactsReply, limit: int) -> FactsReply:
    """Truncate a list of facts, from its end: first their message ids, then the list itself."""
    kept, excess = _without_messages(reply.facts, _excess(reply, limit))
    while kept and excess > 0:
        excess -= len(encode(kept.pop())) + len(",")
    facts = tuple(kept)
    return reply.model_copy(update={"facts": facts, "truncated": facts != reply.facts})


def fit_memory(reply: MemoryReply, limit: int) -> MemoryReply:
    """Truncate what is told of one memory: the message ids of its facts."""
    facts, _ = _without_messages(reply.facts, _excess(reply, limit))
    return reply.model_copy(update={"facts": tuple(facts)})


def fit_entities(reply: EntitiesReply, limit: int) -> EntitiesReply:
    """Truncate cards, from the last one up: their facts and other names."""
    excess, cards = _excess(reply, limit), list(reply.entities)
    for place, card in reversed(list(enumerate(cards))):
        if excess <= 0:
            break
        cards[place] = card.model_copy(update={"facts": (), "aliases": (), "truncated": True})
        excess -= len(encode(card)) - len(encode(cards[place]))
    return reply.model_copy(update={"entities": tuple(cards)})


def fit_graph(reply: GraphReply, limit: int) -> GraphReply:
    """Truncate a part of the graph, from its last edge."""
    excess, edges = _excess(reply, limit), list(reply.edges)
    while edges and excess > 0:
        excess -= len(encode(edges.pop())) + len(",")
    cut = len(edges) < len(reply.edges)
    return reply.model_copy(update={"edges": tuple(edges), "truncated": reply.truncated or cut})


def _excess(reply: Message, limit: int) -> int:
    return len(encode(reply)) - limit + _SPARE


def _from_the_end(shown: tuple[Shown, ...], excess: int) -> tuple[tuple[Shown, ...], int]:
    kept, left = _without_text(reversed(shown), excess)
    return kept[::-1], left


def _without_text(shown: Iterable[Shown], excess: int) -> tuple[tuple[Shown, ...], int]:
    """Remove texts, one by one, while there is an excess; return all, and the remaining excess."""
    kept: list[Shown] = []
    for one in shown:
        if excess > 0:
            excess -= _size(one.content)
            kept.append(one.model_copy(update={"content": None, "truncated": True}))
        else:
            kept.append(one)
    return tuple(kept), excess


def _without_messages(facts: Sequence[FactView], excess: int) -> tuple[list[FactView], int]:
    """Reduce message ids to the latest, from the last fact up, while there is an excess."""
    kept = list(facts)
    for place, fact in reversed(list(enumerate(facts))):
        if excess <= 0:
            break
        kept[place] = fact.model_copy(update={"message_ids": fact.message_ids[-_MESSAGES:]})
        excess -= len(encode(fact)) - len(encode(kept[place]))
    return kept, excess


def _size(text: str | None) -> int:
    """Return the size of a text inside JSON, without its quotes."""
    return 0 if text is None else len(json.dumps(text, ensure_ascii=False).encode()) - len('""')
