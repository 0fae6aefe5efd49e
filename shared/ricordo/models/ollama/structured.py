"""Asking a language model for an answer of a known shape, about texts that are data."""

import json
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from ricordo.models.encoder import InvalidReply
from ricordo.models.ollama.preparation import PreparedModel

_LANGUAGES: Final = {"it": "Italian", "en": "English", "de": "German", "es": "Spanish", "fr": "French"}

Answer = TypeVar("Answer", bound=BaseModel)


def prompt_in(language: str, instructions: str, given: Mapping[str, object]) -> list[dict[str, str]]:
    """Return chat messages: what is to be done, in which `{language}`, and the texts as JSON.

    Args:
        language: ISO 639-1 of the answer; empty for that of the texts.
        instructions: with the place `{language}`.
        given: data, never instructions.
    """
    spoken = _LANGUAGES.get(language, f"the language {language!r}" if language else "their own language")
    return [
        {"role": "system", "content": instructions.replace("{language}", spoken)},
        {"role": "user", "content": json.dumps(given, ensure_ascii=False)},
    ]


async def ask(
    model: PreparedModel, prompt: Sequence[Mapping[str, str]], shape: type[Answer], tokens: int
) -> Answer:
    """Return what a model answers, in its shape.

    Raises:
        InvalidReply: it has another one.
        ModelUnavailable: there was no answer in time.
    """
    answer = await model.chat(prompt, shape.model_json_schema(mode="serialization"), tokens)
    try:
        return shape.model_validate_json(answer)
    except ValidationError as error:
        raise InvalidReply(f"the answer is no {shape.__name__}: {error.error_count()} faults") from None
