"""Condenses memories and sessions with a language model; only text that the sources support is kept."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ricordo.language.text import collapse, normalise
from ricordo.memory.llm_condensation import find_fault, select_messages, validate_condensation
from ricordo.memory.llm_validation import LlmMessage
from ricordo.memory.model import KeyTopic
from ricordo.memory.summaries import Condensed, SessionTurn, spoken_language
from ricordo.models.llm.language_model import LlmUse, lenient, prompt_for

A = TypeVar("A", bound=BaseModel)

_TOKENS: Final = 512

_Leniently: Final = lenient()
Text = Annotated[str, Field(min_length=1, max_length=2_000)]
Label = Annotated[str, Field(max_length=40)]


class SynthesisAnswer(BaseModel):
    """The answer about several memories."""

    model_config = ConfigDict(frozen=True)

    summary: Text


class TopicAnswer(BaseModel):
    """A topic of a session."""

    model_config = ConfigDict(frozen=True)

    topic: Annotated[str, Field(min_length=1, max_length=80)]
    importance: Literal["high", "medium", "low"] = "medium"
    user_emotion: Label = "neutral"


class SessionAnswer(BaseModel):
    """The answer about a session; invalid values other than the summary are dropped."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    summary: Text
    key_topics: list[Annotated[TopicAnswer | None, _Leniently]] = []
    emotions: list[Annotated[Label | None, _Leniently]] = []
    meaningfulness: Annotated[Annotated[int, Field(ge=1, le=5)] | None, _Leniently] = None

    def condensed(self) -> Condensed:
        """Return the answer as claims; meaningfulness m is an importance of (m - 1)/4."""
        rating = self.meaningfulness
        return Condensed(
            text=self.summary,
            key_topics=tuple(
                KeyTopic(
                    topic=item.topic,
                    importance=item.importance,
                    user_emotion=item.user_emotion.strip().casefold(),
                )
                for item in self.key_topics
                if item is not None
            ),
            emotions=tuple(item.strip().casefold() for item in self.emotions if item is not None),
            importance=None if rating is None else (rating - 1) / 4,
        )


class LlmCondenser(LlmUse):
    """Condenses with a language model; returns None without a valid answer."""

    use = "condensed"

    async def synthesis(self, turns: Sequence[SessionTurn]) -> str | None:
        """Condense memories of one language into two or three sentences, never longer than they are."""
        messages, language = select_messages(turns), spoken_language(turns)
        answer = await self._ask_about("synthesis", "memories", messages, language, SynthesisAnswer)
        if answer is None or not self._accepts(answer.summary, messages, language):
            return None
        return collapse(normalise(answer.summary))

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:
        """Summarise a session in at most three sentences, with topics, emotions and importance."""
        messages, language = select_messages(turns), spoken_language(turns)
        answer = await self._ask_about("session", "turns", messages, language, SessionAnswer)
        if answer is None or not self._accepts(answer.summary, messages, language):
            return None
        return validate_condensation(answer.condensed(), messages)

    async def _ask_about(
        self, use: str, name: str, messages: Sequence[LlmMessage], language: str, shape: type[A]
    ) -> A | None:
        given = [{"role": item.role.value, "speaker": item.speaker, "text": item.shown} for item in messages]
        return await self._ask(prompt_for(use, {name: given}, language), shape, _TOKENS)

    def _accepts(self, answer: str, messages: Sequence[LlmMessage], language: str) -> bool:
        found = find_fault(answer, messages, language)
        if found is not None:
            self._reject(found)
        return found is None
