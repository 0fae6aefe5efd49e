"""Passes as they are run, and an event emitter that keeps what it is given, and dies when it should."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ricordo.bus.port import BusUnavailable
from ricordo.messages.events import DerivedEvent
from ricordo.runtime.event_publishing import Emitter
from ricordo_services.lifecycle.passes.pass_runner import IsolatedItems, PassWork, Slice


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


BUS_AWAY = BusUnavailable("the bus is away")


async def run(
    work: PassWork,
    tenant: str,
    now: datetime,
    user_id: str | None = None,
    items: IsolatedItems | None = None,
) -> list[Slice]:
    """Run a pass to its end, without its runner; `items` keep what failed."""
    return [one async for one in work.slices(tenant, now, user_id, None, items or IsolatedItems())]


def total(slices: Sequence[Slice], *names: str) -> tuple[int, ...]:
    return tuple(sum(getattr(one, name) for one in slices) for name in names)
