"""Conditions on memories, in which nothing is ignored: to leave one out would find too much."""

from enum import StrEnum
from typing import Annotated, Self, TypeVar

from pydantic import BeforeValidator, model_validator

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.messages.enumerations import DayOfWeek, EmotionFilter, TimeOfDay
from ricordo.messages.inputs import StrictMessage
from ricordo.messages.message_types import Flag, Id, Instant, Labels, References, Unit, refused


def _case_folded(value: object) -> object:
    return value.casefold() if isinstance(value, str) else value


_E = TypeVar("_E", bound=StrEnum)
_Words = tuple[Annotated[_E, BeforeValidator(_case_folded)], ...]
"""Words of an enumeration, in any case."""


class Filters(StrictMessage):
    """Conditions on memories: any value of a list, case-insensitively, and all keys."""

    start: Instant | None = None
    end: Instant | None = None
    """Exclusive."""
    participants: Labels = ()
    topics: Labels = ()
    tags: Labels = ()
    locations: Labels = ()
    refs: References = ()
    conversation_id: Id | None = None
    time_of_day: _Words[TimeOfDay] = ()
    """In the user's time zone."""
    day_of_week: _Words[DayOfWeek] = ()
    """In the user's time zone."""
    types: _Words[MemoryType] = ()
    kinds: _Words[MemoryKind] = ()
    emotion: Annotated[EmotionFilter, BeforeValidator(_case_folded)] | None = None
    min_importance: Unit | None = None
    include_archived: Flag = False
    include_uninformative: Flag = False
    """Whether uninformative messages are included, such as pure questions and thanks."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise refused("must not be before start", "end")
        return self
