"""What workers, passes and jobs are handed by the wiring, as small protocols."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from ricordo.messages.events import DerivedEvent
from ricordo.ports.stages import Progress


class Emitter(Protocol):
    """Publishes events that no other event has caused."""

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        """Stamp and publish `events`, and wait until they are stored."""
        ...


class Linker(Protocol):
    """Links memories with those of their user that are about the same thing."""

    async def link(self, tenant: str, model: str, users: Mapping[UUID, str], /) -> Sequence[Progress]:
        """Link memories, each with its user, by their vectors of `model`. A repeat changes nothing.

        Returns:
            Of which messages the facts are to be read again.
        """
        ...
