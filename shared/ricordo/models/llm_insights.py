"""Draws insights with a language model; only those that the memories support are kept."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from ricordo.memory.llm_condensation import select_messages, to_llm_message
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.model import Memory
from ricordo.memory.reflection.insight import (
    Insight,
    InsightClaim,
    questions_in_language,
    relevant_memories,
    validate_claim,
)
from ricordo.memory.reflection.insight_selection import MOST_INSIGHTS
from ricordo.memory.reflection.observations import ReflectionEvidence, is_observation, language_of
from ricordo.memory.summaries import SessionTurn
from ricordo.models.llm.language_model import LlmUse, prompt_for

_TOKENS: Final = 384

Text = Annotated[str, Field(min_length=1, max_length=600)]


class QuestionsAnswer(BaseModel):
    """Questions that are worth answering."""

    model_config = ConfigDict(frozen=True)

    questions: Annotated[list[Text], Field(min_length=1, max_length=10)]


class InsightAnswer(BaseModel):
    """An insight, and the numbers of the memories that support it."""

    model_config = ConfigDict(frozen=True)

    insight: Text
    evidence: Annotated[list[int], Field(max_length=20)]


class LlmInsights(LlmUse):
    """Draws insights with a language model; a missing or invalid answer gives none."""

    use = "insights"

    async def insights(self, observed: ReflectionEvidence) -> Sequence[Insight]:
        """Return at most three insights that the memories support, each about another subject."""
        language = language_of(observed.memories)
        memories = sorted(
            (item for item in observed.memories if _is_shown(item, language)),
            key=lambda item: (item.created_at, item.id),
        )
        if not memories or not language:
            return ()
        given = {"observations": _numbered(select_messages([SessionTurn(item) for item in memories]))}
        prompt = prompt_for("reflection_questions", given, language, MOST_INSIGHTS)
        reply = await self._ask(prompt, QuestionsAnswer, _TOKENS)
        questions = () if reply is None else reply.questions[:MOST_INSIGHTS]
        found: dict[str, Insight] = {}
        for question in questions_in_language(questions, language, MOST_INSIGHTS):
            insight = await self._answered(question, memories, language)
            if insight is not None:
                found.setdefault(insight.about, insight)
        return tuple(found.values())

    async def _answered(self, question: str, memories: Sequence[Memory], language: str) -> Insight | None:
        given = relevant_memories(question, memories, language)
        if not given:
            return None
        shown = {"question": question, "memories": _numbered([to_llm_message(item) for item in given])}
        answer = await self._ask(prompt_for("insight", shown, language), InsightAnswer, _TOKENS)
        if answer is None:
            return None
        claim = InsightClaim(answer.insight, tuple(answer.evidence))
        insight = validate_claim(claim, question, given, language)
        if isinstance(insight, Insight):
            return insight
        self._reject(insight)
        return None


def _is_shown(memory: Memory, language: str) -> bool:
    return is_observation(memory) and memory.language == language


def _numbered(messages: Sequence[LlmMessage]) -> list[dict[str, object]]:
    return [{"number": number, "text": item.shown} for number, item in enumerate(messages, start=1)]
