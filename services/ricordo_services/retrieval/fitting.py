"""Replies that would be larger than the bus carries: the lowest ranks lose their text, and say so."""

import json
from collections.abc import Iterable
from typing import TypeVar

from ricordo.messages.base import Message
from ricordo.messages.codec import encode
from ricordo.messages.queries import ContextReply, HistoryReply, RecallReply, TimelineReply
from ricordo.messages.views import HistoryMessage, MemoryView

Shown = TypeVar("Shown", MemoryView, HistoryMessage)

_SPARE = 2_000  # bytes that the flags and the reply's own fields may add


def fit_recall(reply: RecallReply, limit: int) -> RecallReply:
    """Shorten a recall, from the lowest rank up."""
    memories, _ = _from_the_end(reply.memories, _excess(reply, limit))
    return reply.model_copy(update={"memories": memories})


def fit_context(reply: ContextReply, limit: int) -> ContextReply:
    """Shorten a context reply: its memories from the lowest rank up, then its turns from the oldest.

    The text for the prompt stays as it is: it has a bound of its own, half of what a reply may have.
    """
    memories, excess = _from_the_end(reply.memories, _excess(reply, limit))
    recent, _ = _without_text(reply.recent, excess)
    return reply.model_copy(update={"memories": memories, "recent": recent})


def fit_timeline(reply: TimelineReply, limit: int) -> TimelineReply:
    """Shorten a list of memories, from its end."""
    memories, _ = _from_the_end(reply.memories, _excess(reply, limit))
    return reply.model_copy(update={"memories": memories})


def fit_history(reply: HistoryReply, limit: int) -> HistoryReply:
    """Shorten a history, from its oldest message."""
    messages, _ = _without_text(reply.messages, _excess(reply, limit))
    return reply.model_copy(update={"messages": messages})


def _excess(reply: Message, limit: int) -> int:
    return len(encode(reply)) - limit + _SPARE


def _from_the_end(shown: tuple[Shown, ...], excess: int) -> tuple[tuple[Shown, ...], int]:
    kept, left = _without_text(reversed(shown), excess)
    return kept[::-1], left


def _without_text(shown: Iterable[Shown], excess: int) -> tuple[tuple[Shown, ...], int]:
    """Take texts away, one by one, while there is an excess; return all, and what is left of it."""
    kept: list[Shown] = []
    for one in shown:
        if excess > 0:
            excess -= _size(one.content)
            kept.append(one.model_copy(update={"content": None, "truncated": True}))
        else:
            kept.append(one)
    return tuple(kept), excess


def _size(text: str | None) -> int:
    """Return the bytes of a text inside JSON, its quotes left aside."""
    return 0 if text is None else len(json.dumps(text, ensure_ascii=False).encode()) - len('""')
