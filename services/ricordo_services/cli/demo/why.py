"""Why a memory came back: its signals, said in a few words and numbers."""

from collections.abc import Iterator

from ricordo.messages.views import MemoryView
from ricordo.messages.vocabulary import Role

MOST = 0.5
WEIGHTY = 0.7
STRONG = 0.5


def reasons(memory: MemoryView) -> Iterator[str]:
    """Yield what speaks for a memory, and what against it, with the value that each rests on.

    Args:
        memory: as it was recalled with `explain`; without its signals there is nothing to say.
    """
    signals = memory.signals
    if not signals:
        return
    semantic, words = signals.get("semantic", 0.0), signals.get("bm25", 0.0)
    if "semantic" in signals:
        yield f"meaning {semantic:.2f}"
    if words > 0:
        yield f"{'same words' if words >= MOST else 'some words'} {words:.2f}"
    yield from _time(signals.get("temporal", 0.0))
    yield from _feeling(memory)
    if signals.get("importance", 0.0) >= WEIGHTY:
        yield f"matters {signals['importance']:.2f}"
    if memory.role is not None and memory.role is not Role.USER:
        yield "not the user's words"


def _time(temporal: float) -> Iterator[str]:
    if temporal >= 1:
        yield "in that time"
    elif temporal > 0:
        yield f"near that time {temporal:.2f}"


def _feeling(memory: MemoryView) -> Iterator[str]:
    feeling = memory.emotion
    if feeling is not None and abs(feeling.valence) >= STRONG:
        yield f"{feeling.primary or 'feeling'} {feeling.valence:+.1f}"
