"""An event emitter that keeps what it is given, and dies when it should; what a pass has to wait for."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ricordo.bus.port import BusUnavailable
from ricordo.messages.events import DerivedEvent
from ricordo.runtime.event_publishing import Emitter


@dataclass
class Emitted(Emitter):
    """Keeps events; raises `error` instead, until that is taken away, of `tenant` alone where it is given."""

    error: BaseException | None = None
    tenant: str | None = None
    events: list[DerivedEvent] = field(default_factory=list)

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        if self.tenant not in (None, tenant) or not events:  # the database is shared
            return
        if self.error is not None:
            raise self.error
        self.events += events

    def ids(self, name: str) -> list[object]:
        return [one.id for one in self.events if one.name == name]


class Idle:
    async def waiting(self) -> int:
        return 0


BUS_AWAY = BusUnavailable("the bus is away")
