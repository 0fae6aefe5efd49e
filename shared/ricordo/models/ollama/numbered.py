"""Structured answers about several things: an item for each, by the number under which it was shown."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from ricordo.models.encoder import InvalidReply


class Numbered(BaseModel):
    """What the model says of one thing."""

    model_config = ConfigDict(frozen=True)

    number: int


N = TypeVar("N", bound=Numbered)


def numbered_schema(name: str, item: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Return the JSON schema that the server holds the answer to: `count` items under a name."""
    items = {"type": "array", "items": item, "minItems": count, "maxItems": count}
    return {"type": "object", "properties": {name: items}, "required": [name]}


def numbered_items(answer: str, name: str, count: int, model: type[N]) -> Iterator[N]:
    """Yield the items of an answer, in its order, that can be read and are about one of `count` things.

    Raises:
        InvalidReply: it is no JSON.
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
