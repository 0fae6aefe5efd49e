"""Condenses memories and sessions with a language model; only text that the sources support is kept."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, Field

from ricordo.language.text import collapse, normalise
from ricordo.memory.llm_condensation import find_fault, select_messages, validate_condensation
from ricordo.memory.model import KeyTopic
from ricordo.memory.summaries import Condensed, SessionTurn, spoken_language
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.llm.language_model import LanguageModel, Step, lenient

_Leniently: Final = lenient()
Text = Annotated[str, Field(min_length=1, max_length=2_000)]
Label = Annotated[str, Field(max_length=40)]


class SynthesisAnswer(BaseModel, frozen=True):
    """The answer about several memories."""

    summary: Text


class TopicAnswer(BaseModel, frozen=True):
    """A topic of a session."""

    topic: Annotated[str, Field(min_length=1, max_length=80)]
    importance: Literal["high", "medium", "low"] = "medium"
    user_emotion: Label = "neutral"


class SessionAnswer(SynthesisAnswer, json_schema_serialization_defaults_required=True):
    """The answer about a session; invalid values other than the summary are dropped."""

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


A = TypeVar("A", bound=SynthesisAnswer)
SYNTHESIS: Final = Step("synthesis", SynthesisAnswer, tokens=512)
SESSION: Final = Step("session", SessionAnswer, tokens=512)


class LlmCondenser:
    """Condenses with a language model; returns None without a valid answer."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def synthesis(self, turns: Sequence[SessionTurn]) -> str | None:
        """Condense memories of one language into two or three sentences, never longer than they are."""
        answer = await self._ask(SYNTHESIS, "memories", turns)
        return None if answer is None else collapse(normalise(answer.summary))

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:
        """Summarise a session in at most three sentences, with topics, emotions and importance."""
        answer = await self._ask(SESSION, "turns", turns)
        return None if answer is None else validate_condensation(answer.condensed(), select_messages(turns))

    async def _ask(self, step: Step[A], name: str, turns: Sequence[SessionTurn]) -> A | None:
        messages, language = select_messages(turns), spoken_language(turns)
        given = [{"role": item.role.value, "speaker": item.speaker, "text": item.shown} for item in messages]
        try:
            answer = await self._model.ask(step, {name: given}, language)
        except ModelUnavailable:
            return None
        if fault := find_fault(answer.summary, messages, language):
            self._model.reject(step, fault)
        return None if fault else answer
