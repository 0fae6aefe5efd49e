"""What events are called over HTTP, and on the bus."""

from collections.abc import Mapping
from typing import Final, Literal

from nats.aio.msg import Msg

from ricordo.messages.subjects import Subject

EventType = Literal["remembered", "changed", "forgotten", "surfaced"]
SUBJECT_NAMES: Final[Mapping[EventType, str]] = {
    "remembered": "memory.remembered",
    "changed": "memory.changed",
    "forgotten": "memory.forgotten",
    "surfaced": "memory.accessed",
}
_TYPES: Final = {name: event_type for event_type, name in SUBJECT_NAMES.items()}


def type_of(message: Msg) -> EventType:
    """Return what an event is called over HTTP."""
    return _TYPES[Subject.parse(message.subject).name]
