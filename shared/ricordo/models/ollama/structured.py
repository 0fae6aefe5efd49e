"""Structured answers of language models: prompts with data as JSON, and answers of a known shape."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from ricordo.models.encoder import InvalidReply
from ricordo.models.ollama.preparation import PreparedModel

_LANGUAGES: Final = {"it": "Italian", "en": "English", "de": "German", "es": "Spanish", "fr": "French"}

Answer = TypeVar("Answer", bound=BaseModel)


def prompt_in(language: str, instructions: str, given: Mapping[str, object]) -> list[dict[str, str]]:
    """Return a prompt: instructions with the language filled in, and the data as JSON.

    Args:
        language: ISO 639-1 of the answer; empty for that of the texts.
        instructions: with the placeholder `{language}`.
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
    """Return the answer of a model, parsed as `shape`.

    Raises:
        InvalidReply: it does not match.
        ModelUnavailable: there was no answer in time.
    """
    answer = await model.chat(prompt, shape.model_json_schema(mode="serialization"), tokens)
    try:
        return shape.model_validate_json(answer)
    except ValidationError as error:
        raise InvalidReply(f"the answer is no {shape.__name__}: {error.error_count()} faults") from None


class Numbered(BaseModel):
    """The answer about one of several numbered items."""

    model_config = ConfigDict(frozen=True)

    number: int


N = TypeVar("N", bound=Numbered)


def numbered_schema(name: str, item: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Return the JSON schema of an answer with `count` items under a name."""
    items = {"type": "array", "items": item, "minItems": count, "maxItems": count}
    return {"type": "object", "properties": {name: items}, "required": [name]}


def numbered_items(answer: str, name: str, count: int, model: type[N]) -> Iterator[N]:
    """Yield the valid items of an answer, in its order.

    Raises:
        InvalidReply: it is not JSON.
    """
    try:
        document = from_json(answer)
    except ValueError:
        raise InvalidReply(f"the answer about {name} is no JSON") from None
    items = document.get(name) if isinstance(document, dict) else None
    for item in items if isinstance(items, list) else ():
        try:
            read = model.model_validate(item)
        except ValidationError:
            continue
        if 1 <= read.number <= count:
            yield read
