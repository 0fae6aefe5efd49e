"""Draws insights with a language model; only those that the memories support are kept."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import structlog

from ricordo.memory.llm_condensation import select_messages
from ricordo.memory.model import Memory
from ricordo.memory.reflection import MOST_INSIGHTS, Insight
from ricordo.memory.reflection.insight_validation import (
    questions_in_language,
    relevant_memories,
    to_llm_message,
    validate_claim,
)
from ricordo.memory.reflection.observations import ReflectionEvidence, is_observation, language_of
from ricordo.memory.summaries import SessionTurn
from ricordo.models.ollama.insights import OllamaInsightReader
from ricordo.models.throttle import Throttle

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")


class LlmInsights:
    """Draws insights with a language model; a missing or invalid answer gives none.

    Texts with instructions to their reader are not sent to the model.
    """

    def __init__(self, reader: OllamaInsightReader, throttle: Throttle) -> None:
        self._reader = reader
        self._throttle = throttle
        self._accepted = 0
        self._unanswered = 0
        self._dropped: Counter[str] = Counter()

    @property
    def counters(self) -> Mapping[str, float]:
        """Numbers of answers accepted, missing and rejected."""
        return {
            "insights_by_model": self._accepted,
            "insights_without_answer": self._unanswered,
            "insights_rejected": sum(self._dropped.values()),
        }

    @property
    def problem(self) -> str:
        """The last error while the model is unavailable; empty while it answers."""
        return self._throttle.reason

    async def insights(self, tenant: str, observed: ReflectionEvidence) -> Sequence[Insight]:  # noqa: ARG002
        """Return at most three insights that the memories support, each about another subject."""
        language = language_of(observed.memories)
        memories = sorted(
            (item for item in observed.memories if _is_shown(item, language)),
            key=lambda item: (item.created_at, item.id),
        )
        if not memories or not language:
            return ()
        observations = select_messages([SessionTurn(item) for item in memories])
        questions = await self._ask(lambda: self._reader.questions(observations, language, MOST_INSIGHTS))
        found: dict[str, Insight] = {}
        for question in questions_in_language(questions or (), language, MOST_INSIGHTS):
            insight = await self._answered(question, memories, language)
            if insight is not None:
                found.setdefault(insight.about, insight)
        return tuple(found.values())

    async def _answered(self, question: str, memories: Sequence[Memory], language: str) -> Insight | None:
        given = relevant_memories(question, memories, language)
        if not given:
            return None
        said = [to_llm_message(item) for item in given]
        claim = await self._ask(lambda: self._reader.insight(question, said, language))
        if claim is None:
            return None
        insight = validate_claim(claim, question, given, language)
        if isinstance(insight, Insight):
            self._accepted += 1
            return insight
        self._dropped[insight.value] += 1
        _log.info("insight rejected", model=self._reader.model, reason=insight.value)
        return None

    async def _ask(self, ask: Callable[[], Awaitable[T]]) -> T | None:
        answer = await self._throttle.single(ask)
        self._unanswered += answer is None
        return answer


def _is_shown(memory: Memory, language: str) -> bool:
    return is_observation(memory) and memory.language == language and not to_llm_message(memory).gives_orders
