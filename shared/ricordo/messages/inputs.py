"""Base types of messages with a subject, and of what bots write: requests, and what has no unknown fields."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType
from typing import ClassVar, Final, Unpack, get_args

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic.config import JsonDict
from pydantic_core import CoreSchema

from ricordo.messages.message_types import Id, Message, refused

_NAME_MAX_CHARS: Final = 64


class NamedMessage(Message):
    """Base class of what has a subject, which ends with `name`; it stands in the head of the class."""

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str = "", **config: Unpack[ConfigDict]) -> None:
        super().__init_subclass__(**config)
        if name:
            cls.name = name


class Input(Message):
    """Base class of what bots write: null for an optional field means the same as its absence."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        if not isinstance(given, Mapping) or all(value is not None for value in given.values()):
            return given
        optional = _where_null_is_absent(cls)
        return {name: value for name, value in given.items() if value is not None or name not in optional}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonDict:
        """Return the schema; what bots write may have null in each of these fields."""
        found = handler(schema)
        for name, field in handler.resolve_ref_schema(found)["properties"].items():
            if handler.mode == "validation" and name in _where_null_is_absent(cls):
                _admit_null(field)
        return found


@cache
def _where_null_is_absent(model: type[BaseModel]) -> frozenset[str]:
    """Return the names of the fields with a default for which null stands for nothing else."""
    return frozenset(
        field.alias or name
        for name, field in model.model_fields.items()
        if not field.is_required() and (field.default is None or NoneType not in get_args(field.annotation))
    )


def _admit_null(field: JsonDict) -> None:
    """Add null to what the JSON Schema of a field admits."""
    if "$ref" in field:
        field["anyOf"] = [{"$ref": field.pop("$ref")}, {"type": "null"}]
    elif isinstance(kind := field.get("type"), str):
        field["type"] = [kind, "null"]


class Request(Input, NamedMessage):
    """A query or a command."""


class UserRequest(Request):
    """A query or a command about a user."""

    user_id: Id


class StrictMessage(Input):
    """Base class of what refuses unknown fields, and says which was meant."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _all_known(cls, given: object) -> object:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for name in given if isinstance(given, Mapping) else ():
            if name not in known:
                raise refused(f"is unknown: {meant(str(name), known)}", str(name)[:_NAME_MAX_CHARS])
        return given


_USUAL: Final = {"after": "cursor", "question": "query"}
"""Names that other services have for ours, and that do not look like them."""


def meant(name: str, known: Sequence[str], kind: str = "fields") -> str:
    """Return what was probably meant by an unknown name: the most similar one, or one of all of this kind."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    usual = _USUAL.get(name)
    near = [usual] if usual in known else get_close_matches(name[:_NAME_MAX_CHARS], known, n=1)
    return f"did you mean {near[0]}?" if near else f"the {kind} are {', '.join(known)}"
