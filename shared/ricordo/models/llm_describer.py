"""Rates and describes messages with a language model; the scale of ratings is that of generative agents."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import ConfigDict, Field

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.language.feelings import load_positions
from ricordo.memory.llm_validation import Description, LlmMessage, LlmReading, importance_of_rating
from ricordo.models.llm.language_model import LanguageModel, Numbered, lenient
from ricordo.models.throttle import Throttle, batched

T = TypeVar("T")
_TOKENS_OF_A_RATING: Final = 24
_TOKENS_OF_A_DESCRIPTION: Final = 256


def _labels(schema: dict[str, Any]) -> None:
    schema.clear()
    schema.update(enum=[*load_positions(), "neutral"])


_Leniently: Final = lenient()
Number = Annotated[float | None, _Leniently]
Label = Annotated[str | None, _Leniently, Field(json_schema_extra=_labels)]
Line = Annotated[Annotated[str, Field(max_length=300)] | None, _Leniently]
Phrases = Annotated[
    Annotated[list[Annotated[str, Field(max_length=128)]], Field(max_length=16)] | None, _Leniently
]
Type = Annotated[Literal["episodic", "semantic", "procedural", "emotional"] | None, _Leniently]
Kind = Annotated[Literal["message", "note", "agreement", "problem", "decision"] | None, _Leniently]


class RatingAnswer(Numbered):
    """The importance of one message, 1 (mundane) to 10 (crucial)."""

    rating: Annotated[float, Field(strict=True, ge=1, le=10)]


class DescriptionAnswer(Numbered):
    """The answer about one message. All fields are requested; invalid ones are dropped."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    emotion: Label = None
    valence: Number = None
    arousal: Number = None
    dominance: Number = None
    keywords: Phrases = None
    topics: Phrases = None
    participants: Phrases = None
    type: Type = None
    kind: Kind = None
    title: Line = None

    def description(self) -> Description:
        """Return the answer as claims."""
        return Description(
            valence=self.valence,
            arousal=self.arousal,
            dominance=self.dominance,
            primary=self.emotion,
            keywords=tuple(self.keywords or ()),
            topics=tuple(self.topics or ()),
            participants=tuple(self.participants or ()),
            type=None if self.type is None else MemoryType(self.type),
            kind=None if self.kind is None else MemoryKind(self.kind),
            title=self.title,
        )


class MessageReader(LanguageModel):
    """Rates and describes messages."""

    async def rate(self, messages: Sequence[LlmMessage]) -> list[float | None]:
        """Rate each message, 1 (mundane) to 10 (crucial), in one request; None for one without an answer.

        Raises:
            InvalidReply: there is no rating at all.
            ModelUnavailable: there was no answer in time.
        """
        entries = [{"text": item.shown} for item in messages]
        answers = await self.ask_each(
            "rating", "observations", entries, RatingAnswer, tokens=_TOKENS_OF_A_RATING
        )
        return [answer[0].rating if answer else None for answer in answers]

    async def describe(self, messages: Sequence[LlmMessage]) -> list[Description | None]:
        """Describe each message in one request; None for one without an answer.

        Raises:
            InvalidReply: there is no description at all.
            ModelUnavailable: there was no answer in time.
        """
        entries = [
            {"language": item.language, "role": item.role.value, "speaker": item.speaker, "text": item.shown}
            for item in messages
        ]
        answers = await self.ask_each(
            "description", "messages", entries, DescriptionAnswer, tokens=_TOKENS_OF_A_DESCRIPTION
        )
        return [answer[0].description() if answer else None for answer in answers]


class LlmDescriber:
    """Rates and describes messages, in batches.

    After a malformed answer to several messages each is sent once more, alone.
    """

    def __init__(self, reader: MessageReader, throttle: Throttle, batch: int = 8) -> None:
        self._reader = reader
        self._throttle = throttle
        self._batch = batch

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._reader.model

    async def read(self, messages: Sequence[LlmMessage], *, describe: bool = True) -> list[LlmReading]:
        """Rate and, if `describe`, describe each message; an empty reading without an answer in time."""
        deadline = self._throttle.deadline()
        ratings = await self._each(messages, self._reader.rate, deadline)
        nothing = [None] * len(messages)
        described = await self._each(messages, self._reader.describe, deadline) if describe else nothing
        return [
            LlmReading(None if rating is None else importance_of_rating(rating), description)
            for rating, description in zip(ratings, described, strict=True)
        ]

    async def _each(
        self,
        messages: Sequence[LlmMessage],
        ask: Callable[[Sequence[LlmMessage]], Awaitable[Sequence[T | None]]],
        deadline: float,
    ) -> list[T | None]:
        return await self._throttle.each(
            batched(messages, lambda message: message.shown, self._batch), ask, deadline
        )
