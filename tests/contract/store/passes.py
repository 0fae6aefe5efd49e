"""Passes as they are run, and an event emitter that keeps what it is given, and dies when it should."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ricordo.bus.port import BusUnavailable
from ricordo.messages.event_items import DerivedEvent
from ricordo.runtime.backoff import ItemBackoff
from ricordo.runtime.event_publishing import Emitter
from ricordo_services.lifecycle.pass_runner import PassScope, PassWork, Slice


@dataclass
class Emitted(Emitter):
    """Keeps events; raises `error` instead, until that is taken away, of `tenant` alone where it is given."""

    error: BaseException | None = None
    tenant: str | None = None
    events: list[DerivedEvent] = field(default_factory=list)
    bulk: list[DerivedEvent] = field(default_factory=list)
    """Those of the bulk lane, which `events` has too."""

    async def emit(self, tenant: str, events: Iterable[DerivedEvent], *, bulk: bool = False) -> None:
        published = list(events)
        if self.tenant not in (None, tenant) or not published:  # the database is shared
            return
        if self.error is not None:
            raise self.error
        self.events += published
        self.bulk += published if bulk else ()

    def ids(self, name: str) -> list[object]:
        return [one.memory_id for one in self.events if one.name == name]


BUS_AWAY = BusUnavailable("the bus is away")


async def run(
    work: PassWork,
    tenant: str,
    now: datetime,
    user_id: str | None = None,
    items: ItemBackoff | None = None,
) -> list[Slice]:
    """Run a pass to its end, without its runner; `items` keep what failed."""
    scope = PassScope(tenant, now, user_id, items=items or ItemBackoff())
    return [one async for one in work.slices(scope)]


def total(slices: Sequence[Slice], *names: str) -> tuple[int, ...]:
    return tuple(sum(getattr(one, name) for one in slices) for name in names)
