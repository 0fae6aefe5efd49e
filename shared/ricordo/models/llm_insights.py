"""Draws insights with a language model; only those that the memories support are kept."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import BaseModel, Field

from ricordo.memory.llm_condensation import select_messages, to_llm_message
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.model import Memory, is_user_statement
from ricordo.memory.reflection.insight import (
    Insight,
    questions_in_language,
    relevant_memories,
    validate_claim,
)
from ricordo.memory.reflection.observations import ReflectionEvidence, language_of
from ricordo.memory.summaries import SessionTurn
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.llm.language_model import LanguageModel, Step

Text = Annotated[str, Field(min_length=1, max_length=600)]


class QuestionsAnswer(BaseModel, frozen=True):
    """Questions that are worth answering."""

    questions: Annotated[list[Text], Field(min_length=1, max_length=10)]


class InsightAnswer(BaseModel, frozen=True):
    """An insight, and the numbers of the memories that support it."""

    insight: Text
    evidence: Annotated[list[int], Field(max_length=20)]


QUESTIONS: Final = Step("reflection_questions", QuestionsAnswer, tokens=384)
INSIGHT: Final = Step("insight", InsightAnswer, tokens=384)


class LlmInsights:
    """Draws insights with a language model; a missing or invalid answer gives none.

    Args:
        questions: maximum number of questions, and so of insights.
        memories: maximum number of memories that answer a question.
    """

    def __init__(self, model: LanguageModel, questions: int = 3, memories: int = 10) -> None:
        self._model = model
        self._questions = questions
        self._memories = memories

    async def insights(self, observed: ReflectionEvidence) -> Sequence[Insight]:
        """Return insights that the memories support, each about another subject."""
        language = language_of(observed.memories)
        memories = sorted(
            (item for item in observed.memories if _is_shown(item, language)),
            key=lambda item: (item.created_at, item.id),
        )
        if not memories or not language:
            return ()
        given = {"observations": _numbered(select_messages([SessionTurn(item) for item in memories]))}
        try:
            reply = await self._model.ask(QUESTIONS, given, language, self._questions)
        except ModelUnavailable:
            return ()
        found: dict[str, Insight] = {}
        for question in questions_in_language(reply.questions[: self._questions], language, self._questions):
            insight = await self._answered(question, memories, language)
            if insight is not None:
                found.setdefault(insight.about, insight)
        return tuple(found.values())

    async def _answered(self, question: str, memories: Sequence[Memory], language: str) -> Insight | None:
        given = relevant_memories(question, memories, language, self._memories)
        if not given:
            return None
        shown = {"question": question, "memories": _numbered([to_llm_message(item) for item in given])}
        try:
            answer = await self._model.ask(INSIGHT, shown, language)
        except ModelUnavailable:
            return None
        insight = validate_claim(answer.insight, answer.evidence, question, given, language)
        if isinstance(insight, Insight):
            return insight
        self._model.reject(INSIGHT, insight)
        return None


def _is_shown(memory: Memory, language: str) -> bool:
    return is_user_statement(memory) and memory.language == language


def _numbered(messages: Sequence[LlmMessage]) -> list[dict[str, object]]:
    return [{"number": number, "text": item.shown} for number, item in enumerate(messages, start=1)]
