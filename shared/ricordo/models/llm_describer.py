"""Rates and describes messages with a language model; the rating prompts are those of generative agents."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import ConfigDict, Field

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.language.feelings import load_positions
from ricordo.memory.llm_validation import Description, LlmMessage, LlmReading, importance_of_rating
from ricordo.models.encoder import InvalidReply
from ricordo.models.ollama.reader import Numbered, OllamaReader, Prompt, chat_prompt, instructions, lenient
from ricordo.models.throttle import Throttle, batched_messages

T = TypeVar("T")
_TOKENS_OF_A_RATING: Final = 8
_TOKENS_OF_A_DESCRIPTION: Final = 256
_TOKENS_AROUND: Final = 32

# "7", "7.5", "7/10", and "3. 7" as the third line of several.
_RATING: Final = re.compile(
    r"(?:(?P<line>\d{1,3})[.):]\s+)?(?P<rating>\d{1,2}(?:\.\d{1,2})?)(?:\s*/\s*10)?\.?"
)

# Line separators that JSON does not escape.
_ESCAPED: Final = {letter: f"\\u{ord(letter):04x}" for letter in "\x85\u2028\u2029"}


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


class OllamaMessageReader(OllamaReader):
    """Rates and describes messages."""

    async def rate(self, messages: Sequence[LlmMessage]) -> list[float]:
        """Rate the importance of each message, 1 (mundane) to 10 (crucial), in one request.

        Raises:
            InvalidReply: a rating is missing or invalid.
            ModelUnavailable: there was no answer in time.
        """
        tokens = _TOKENS_AROUND + _TOKENS_OF_A_RATING * len(messages)
        return _read_ratings(await self.chat(_rating_prompt(messages), None, tokens, "rating"), len(messages))

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


def _rating_prompt(messages: Sequence[LlmMessage]) -> Prompt:
    if len(messages) == 1:
        return chat_prompt(instructions()["rating"], f"Observation: {_quoted(messages[0])}")
    lines = "\n".join(f"{number}. {_quoted(item)}" for number, item in enumerate(messages, 1))
    return chat_prompt(instructions()["ratings"], f"Observations:\n{lines}")


def _read_ratings(answer: str, count: int) -> list[float]:
    """Read one number from 1 to 10 per line; `InvalidReply` for anything else."""
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if len(lines) != count:
        raise InvalidReply(f"{len(lines)} lines for the ratings of {count} messages")
    return [_rating(line, number) for number, line in enumerate(lines, 1)]


def _rating(line: str, number: int) -> float:
    found = _RATING.fullmatch(line)
    if found is None or (found["line"] is not None and int(found["line"]) != number):
        raise InvalidReply(f"line {number} of the ratings is no number")
    rating = float(found["rating"])
    if importance_of_rating(rating) is None:
        raise InvalidReply(f"line {number} of the ratings is out of range: {rating:g}")
    return rating


def _quoted(message: LlmMessage) -> str:
    """Write a message as a JSON string on one line, by any definition of a line."""
    return "".join(_ESCAPED.get(letter, letter) for letter in json.dumps(message.shown, ensure_ascii=False))


class LlmDescriber:
    """Rates and describes messages, in batches.

    After a malformed answer to several messages each is sent once more, alone.
    """

    def __init__(self, reader: OllamaMessageReader, throttle: Throttle, batch: int = 8) -> None:
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
            batched_messages(messages, lambda message: message, self._batch), ask, deadline
        )
