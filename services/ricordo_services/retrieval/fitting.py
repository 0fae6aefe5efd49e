"""Replies that would be larger than the bus carries: the lowest ranks lose their text, and say so."""

from ricordo.messages.codec import encode
from ricordo.messages.queries import HistoryReply, RecallReply, TimelineReply
from ricordo.messages.views import HistoryMessage, MemoryView

_SPARE = 2_000  # bytes that the flags and the reply's own fields may add


def fit_recall(reply: RecallReply, limit: int) -> RecallReply:
    """Shorten a recall or context reply, from the lowest rank up."""
    excess = len(encode(reply)) - limit + _SPARE
    return reply.model_copy(update={"memories": _without_text(reply.memories, excess)})


def fit_timeline(reply: TimelineReply, limit: int) -> TimelineReply:
    """Shorten a list of memories, from its end."""
    excess = len(encode(reply)) - limit + _SPARE
    return reply.model_copy(update={"memories": _without_text(reply.memories, excess)})


def fit_history(reply: HistoryReply, limit: int) -> HistoryReply:
    """Shorten a history, from its oldest message."""
    excess = len(encode(reply)) - limit + _SPARE
    shortened: list[HistoryMessage] = []
    for message in reply.messages:
        if excess > 0:
            excess -= _size(message.content)
            shortened.append(message.model_copy(update={"content": None, "truncated": True}))
        else:
            shortened.append(message)
    return reply.model_copy(update={"messages": tuple(shortened)})


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
