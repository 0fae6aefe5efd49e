"""The body of a message over HTTP: as on the wire, with an id, a time and a user that may be left out."""

from datetime import UTC, datetime
from uuid import uuid4

from pydantic import ConfigDict

from ricordo.client.connection import read
from ricordo.messages.events import MessageReceived
from ricordo.messages.message_types import Id, Instant
from ricordo_services.gateway.scopes import OptionalUser


class MessageBody(MessageReceived):
    """A message. Without `id` one is drawn: give one to be able to repeat the request safely."""

    model_config = ConfigDict(extra="forbid", title="Message", defer_build=False)

    id: Id | None = None  # type: ignore[assignment]
    timestamp: Instant | None = None  # type: ignore[assignment]
    user_id: OptionalUser = None  # type: ignore[assignment]


def to_message(body: MessageBody, user_id: str) -> MessageReceived:
    """Return the message of a user."""
    drawn = {"id": uuid4().hex, "timestamp": datetime.now(UTC)}
    given = {name: value for name, value in body.model_dump(exclude_unset=True).items() if value is not None}
    return read(MessageReceived, {**drawn, **given, "user_id": user_id})
