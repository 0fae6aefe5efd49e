"""Condenses memories and sessions with a language model; only text that the sources support is kept."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import structlog

from ricordo.language.text import collapse, normalise
from ricordo.memory.llm_condensation import (
    CondensationFault,
    find_fault,
    select_messages,
    validate_condensation,
)
from ricordo.memory.llm_description import LlmMessage
from ricordo.memory.summaries import Condensed, SessionTurn, spoken_language
from ricordo.models.ollama.condensation import OllamaCondenser
from ricordo.models.throttle import Throttle

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")


class LlmCondenser:
    """Condenses with a language model; returns None without a valid answer.

    Texts with instructions to their reader are not sent to the model.
    """

    def __init__(self, reader: OllamaCondenser, throttle: Throttle) -> None:
        self._reader = reader
        self._throttle = throttle
        self._accepted = 0
        self._unanswered = 0
        self._rejected: Counter[CondensationFault] = Counter()

    @property
    def counters(self) -> Mapping[str, float]:
        """Numbers of answers accepted, missing and rejected."""
        return {
            "condensed_by_model": self._accepted,
            "condensed_without_answer": self._unanswered,
            "condensed_rejected": sum(self._rejected.values()),
        }

    @property
    def problem(self) -> str:
        """The last error while the model is unavailable; empty while it answers."""
        return self._throttle.reason

    async def synthesis(self, turns: Sequence[SessionTurn]) -> str | None:
        """Condense memories of one language into one text, never longer than they are."""
        said, language = select_messages(turns), spoken_language(turns)
        answer = await self._ask(said, lambda: self._reader.synthesis(said, language))
        if answer is None or not self._accepts(answer, said, language):
            return None
        return collapse(normalise(answer))

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:
        """Summarize a session."""
        said, language = select_messages(turns), spoken_language(turns)
        answer = await self._ask(said, lambda: self._reader.session(said, language))
        if answer is None or not self._accepts(answer.text, said, language):
            return None
        return validate_condensation(answer, said)

    async def _ask(self, said: Sequence[LlmMessage], ask: Callable[[], Awaitable[T]]) -> T | None:
        if any(message.gives_orders for message in said):
            self._rejected[CondensationFault.ORDERS] += 1
            return None
        answer = await self._throttle.single(ask)
        self._unanswered += answer is None
        return answer

    def _accepts(self, answer: str, said: Sequence[LlmMessage], language: str) -> bool:
        found = find_fault(answer, said, language)
        if found is None:
            self._accepted += 1
            return True
        self._rejected[found] += 1
        _log.info("condensed text rejected", model=self._reader.model, reason=found.value)
        return False
