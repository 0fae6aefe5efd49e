"""What all events of workers share: ids, and items of up to 64 memories."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Final, Generic, Self, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ricordo.messages.ids import UNSTAMPED
from ricordo.messages.inputs import NamedMessage
from ricordo.messages.message_types import Id, Instant, Message, OptionalLabel

MAX_ITEMS: Final = 64
"""The most items of an event."""
BULK: Final = ".bulk"
"""What ends the name of an event that is published on the bulk lane."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class DerivedEvent(NamedMessage):
    """What a worker publishes: ids and counts of a memory, never the content of a message.

    It is one item of an event (`EventItems`), or the event itself (`SingleEvent`); the runtime gathers items.
    """

    has_bulk: ClassVar[bool] = False
    """Whether it also has a bulk lane, which is its name and `.bulk`."""

    user_id: Id
    conversation_id: Id | None = None
    message_id: Id | None = None
    memory_id: UUID | None = None


class MemoryEvent(DerivedEvent):
    """An event about a memory."""

    memory_id: UUID


class BulkEvent(MemoryEvent):
    """An event about a memory that has a bulk lane."""

    has_bulk: ClassVar[bool] = True


class SingleEvent(DerivedEvent):
    """An event of one message or one request.

    A handler leaves `id` and `at` alone; the runtime stamps them before it publishes.
    """

    id: UUID = UNSTAMPED
    at: Instant = _EPOCH
    """When it happened."""

    @property
    def is_stamped(self) -> bool:
        """Whether the event has its id and its instant."""
        return self.id != UNSTAMPED and self.at != _EPOCH

    def stamp(self, id: UUID, at: datetime) -> Self:  # noqa: A002 - named as the field it sets
        """Return the event with its id and instant; what the handler had set itself stays.

        Args:
            id: see `ricordo.messages.ids.derived_id`.
            at: aware.
        """
        return self.model_copy(
            update={
                "id": id if self.id == UNSTAMPED else self.id,
                "at": at.astimezone(UTC) if self.at == _EPOCH else self.at,
            }
        )


Item = TypeVar("Item", bound=DerivedEvent)


def item_model(model: type[BaseModel]) -> type[BaseModel]:
    """Return the model of the items of an event; of one without items its own."""
    items: Sequence[type[BaseModel]] = model.__pydantic_generic_metadata__["args"]
    return items[0] if items else model


def _title_of(model: type[BaseModel]) -> str:
    return item_model(model).__name__


class EventItems(Message, Generic[Item]):
    """An event of up to 64 memories of one tenant, on one lane."""

    model_config = ConfigDict(model_title_generator=_title_of)

    id: UUID
    at: Instant
    """When it happened."""
    items: Annotated[tuple[Item, ...], Field(min_length=1, json_schema_extra={"maxItems": MAX_ITEMS})]

    @model_validator(mode="before")
    @classmethod
    def _read_former_version(cls, body: object) -> object:
        """Read version 1, which had the fields of one item, or the ids of several: it is kept for a week."""
        if not isinstance(body, dict) or "items" in body or "user_id" not in body:
            return body
        several = None if body.get("memory_id") else body.get("memory_ids")
        items = [{**body, "memory_id": memory_id} for memory_id in several] if several else [body]
        return {"id": body.get("id"), "at": body.get("at"), "items": items}


class Rework(BulkEvent):
    """A command to a worker to do its work on a memory again."""

    reason: OptionalLabel = None
    """What has made it necessary; version 1 did not say."""


def event_model(event: type[Message]) -> type[Message]:
    """Return the model of the body on the wire: of an item, the event that has it among its items."""
    if issubclass(event, DerivedEvent) and not issubclass(event, SingleEvent):
        return EventItems[event]  # type: ignore[valid-type]
    return event


def gather(event_id: UUID, at: datetime, items: Sequence[DerivedEvent]) -> EventItems[Any]:
    """Return the event of 1 to 64 items of one kind.

    Args:
        at: aware.
    """
    model: Any = event_model(type(items[0]))
    event: EventItems[Any] = model(id=event_id, at=at, items=items)
    return event
