"""Truncates replies that exceed the size limit of the bus, from the lowest rank, and marks them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ricordo.messages.codec import encode
from ricordo.messages.entities import EntityCard
from ricordo.messages.listings import PeriodView
from ricordo.messages.message_types import Message
from ricordo.messages.views import FactView, HistoryMessage, MemoryView

Reply = TypeVar("Reply", bound=Message)
Shorten = Callable[[Any], Message | None]
"""Returns a part of a reply shortened, or None to leave it out."""

_SPARE: Final = 2_000  # bytes of the flags and the reply's own fields
_MESSAGES: Final = 5  # latest supporting messages that a truncated fact names


def _without_text(shown: MemoryView | HistoryMessage) -> Message:
    return shown.model_copy(update={"content": None, "truncated": True})


def _without_messages(fact: FactView) -> Message:
    return fact.model_copy(update={"message_ids": fact.message_ids[-_MESSAGES:]})


def _name_alone(card: EntityCard) -> Message:
    return card.model_copy(update={"facts": (), "aliases": (), "truncated": True})


def _without_memories(period: PeriodView) -> Message:
    return period.model_copy(update={"strongest": ()})


def _left_out(_: Message) -> None:
    return None


@dataclass(frozen=True, slots=True)
class TruncationStep:
    """Shortens the parts in a field of a reply while it is too long, from the last one up or the first on."""

    field: str
    shorten: Shorten
    from_first: bool = False

    def __call__(self, parts: Sequence[Message], excess: int) -> tuple[tuple[Message, ...], int]:
        """Return the parts that are left, and the remaining excess in bytes."""
        kept: list[Message] = []
        for part in parts if self.from_first else reversed(parts):
            short = self.shorten(part) if excess > 0 else part
            if short is not part:
                excess -= len(encode(part)) - (0 if short is None else len(encode(short)))
            if short is not None:
                kept.append(short)
        return tuple(kept if self.from_first else reversed(kept)), excess


class Truncation:
    """Truncates replies of a query, step by step."""

    def __init__(self, *steps: TruncationStep) -> None:
        self._steps = steps

    def __call__(self, reply: Reply, limit: int) -> Reply:
        """Return a reply of at most `limit` bytes; of one that has the flag `truncated`, this is set."""
        excess, fitted = len(encode(reply)) - limit + _SPARE, reply
        for step in self._steps:
            parts, excess = step(getattr(fitted, step.field), excess)
            fitted = fitted.model_copy(update={step.field: parts})
        if "truncated" in type(reply).model_fields and fitted != reply:
            return fitted.model_copy(update={"truncated": True})
        return fitted


fit_memories: Final = Truncation(TruncationStep("memories", _without_text))
# The text for the prompt stays: it is limited to half of a reply by itself.
fit_context: Final = Truncation(
    TruncationStep("memories", _without_text), TruncationStep("recent", _without_text, from_first=True)
)
fit_history: Final = Truncation(TruncationStep("messages", _without_text, from_first=True))
fit_facts: Final = Truncation(TruncationStep("facts", _without_messages), TruncationStep("facts", _left_out))
fit_memory: Final = Truncation(TruncationStep("facts", _without_messages))
fit_entities: Final = Truncation(TruncationStep("entities", _name_alone))
fit_periods: Final = Truncation(
    TruncationStep("periods", _without_memories, from_first=True),
    TruncationStep("periods", _left_out, from_first=True),
)
fit_graph: Final = Truncation(TruncationStep("edges", _left_out))
