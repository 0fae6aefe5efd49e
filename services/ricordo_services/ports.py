"""What workers, passes and jobs are handed by the wiring, as small protocols."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from ricordo.messages.events import DerivedEvent, MemoryCreated


class Emitter(Protocol):
    """Publishes events that no other event has caused."""

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        """Stamp and publish `events`, and wait until they are stored."""
        ...


class Linker(Protocol):
    """Links memories with those of their user that are about the same thing."""

    async def link(self, tenant: str, model: str, users: Mapping[UUID, str], /) -> Sequence[MemoryCreated]:
        """Link memories, each with its user, by their vectors of `model`. A repeat changes nothing.

        Returns:
            What is to be told once more, of messages whose facts are to be read again.
        """
        ...
