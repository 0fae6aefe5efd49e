"""Rates and describes messages with a language model; the scale of ratings is that of generative agents."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.language.feelings import load_positions
from ricordo.memory.llm_validation import Description, LlmMessage, LlmReading, importance_of_rating
from ricordo.models.llm.language_model import LanguageModel, Numbered, Step, lenient


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


class DescriptionAnswer(Numbered, json_schema_serialization_defaults_required=True):
    """The answer about one message. All fields are requested; invalid ones are dropped."""

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


RATING: Final = Step("rating", RatingAnswer, tokens=24, items="observations")
DESCRIPTION: Final = Step("description", DescriptionAnswer, tokens=256, items="messages")


class LlmDescriber:
    """Rates and describes messages, in batches.

    Args:
        batch: maximum number of messages per request.
    """

    def __init__(self, model: LanguageModel, batch: int = 8) -> None:
        self._model = model
        self._batch = batch

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model.model

    async def read(self, messages: Sequence[LlmMessage], *, describe: bool = True) -> list[LlmReading]:
        """Rate and, if `describe`, describe each message; an empty reading without an answer in time."""
        deadline, ask = self._model.throttle.deadline(), self._model.ask_each
        ratings = await ask(RATING, [{"text": item.shown} for item in messages], self._batch, deadline)
        entries = [
            {"language": item.language, "role": item.role.value, "speaker": item.speaker, "text": item.shown}
            for item in messages
        ]
        described = await ask(DESCRIPTION, entries if describe else (), self._batch, deadline)
        return [
            LlmReading(
                None if rating is None else importance_of_rating(rating.rating),
                None if answer is None else answer.description(),
            )
            for rating, answer in zip_longest(ratings, described)
        ]
