"""Replies that would be larger than the bus carries: the lowest ranks lose their text, and say so."""

from ricordo.messages.base import Message
from ricordo.messages.codec import encode
from ricordo.messages.queries import ContextReply, HistoryReply, RecallReply, TimelineReply
from ricordo.messages.views import HistoryMessage, MemoryView

_SPARE = 2_000  # bytes that the flags and the reply's own fields may add


def fit_recall(reply: RecallReply, limit: int) -> RecallReply:
    """Shorten a recall, from the lowest rank up."""
    return reply.model_copy(update={"memories": _without_text(reply.memories, _excess(reply, limit))})


def fit_context(reply: ContextReply, limit: int) -> ContextReply:
    """Shorten a context reply: its memories from the lowest rank up, then its turns from the oldest."""
    shorter = reply.model_copy(update={"memories": _without_text(reply.memories, _excess(reply, limit))})
    recent = _oldest_without_text(shorter.recent, _excess(shorter, limit))
    return shorter.model_copy(update={"recent": recent})


def fit_timeline(reply: TimelineReply, limit: int) -> TimelineReply:
    """Shorten a list of memories, from its end."""
    return reply.model_copy(update={"memories": _without_text(reply.memories, _excess(reply, limit))})


def fit_history(reply: HistoryReply, limit: int) -> HistoryReply:
    """Shorten a history, from its oldest message."""
    return reply.model_copy(update={"messages": _oldest_without_text(reply.messages, _excess(reply, limit))})


def _excess(reply: Message, limit: int) -> int:
    return len(encode(reply)) - limit + _SPARE


def _oldest_without_text(messages: tuple[HistoryMessage, ...], excess: int) -> tuple[HistoryMessage, ...]:
    kept = list(messages)
    for place in range(len(kept)):
        if excess <= 0:
            break
        excess -= _size(kept[place].content)
        kept[place] = kept[place].model_copy(update={"content": None, "truncated": True})
    return tuple(kept)


def _without_text(memories: tuple[MemoryView, ...], excess: int) -> tuple[MemoryView, ...]:
    kept = list(memories)
    for place in reversed(range(len(kept))):
        if excess <= 0:
            break
        excess -= _size(kept[place].content)
        kept[place] = kept[place].model_copy(update={"content": None, "truncated": True})
    return tuple(kept)


def _size(text: str | None) -> int:
    """Return the bytes of a text inside JSON, at least: escapes only add to it."""
    return 0 if text is None else len(text.encode())
