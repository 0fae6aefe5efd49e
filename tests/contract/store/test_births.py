"""Whoever dies between the writing of a summary and the word of it has it told by the reconciliation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores
from tests.contract.store.test_memory_corrections import correct
from tests.contract.store.test_stages import SETTERS

from ricordo.bus.port import BusUnavailable
from ricordo.memory.summaries import Condensed, SessionTurn
from ricordo.messages.events import DerivedEvent
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.database import Database
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.session_store import SessionStore
from ricordo.testing.clock import ManualClock
from ricordo.testing.factories import at, new_message
from ricordo_services.lifecycle.passes import Reconcile
from ricordo_services.lifecycle.summarizing import Summarize

pytestmark = pytest.mark.integration


@dataclass
class _Voice:
    """Takes events, or dies of the first."""

    dies: bool = False
    heard: list[DerivedEvent] = field(default_factory=list)

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        """Take the events."""
        if self.dies and events:
            raise BusUnavailable("NATS does not answer")
        self.heard += events

    def ids(self, name: str) -> list[object]:
        """Return the ids of what was heard of a name."""
        return [one.id for one in self.heard if one.name == name]


class _Idle:
    async def waiting(self) -> int:
        """Nothing waits."""
        return 0


class _OneTenant(LifecycleStore):
    """The store, in which only one tenant has said anything."""

    def __init__(self, database: Database, tenant: str) -> None:
        super().__init__(database)
        self._only = tenant

    async def tenants(self) -> Sequence[str]:
        """Return the one."""
        return [self._only]


async def _sum_up(database: Database, beside: CpuExecutor, stores: Stores, voice: _Voice) -> None:
    clock = ManualClock(STORED + timedelta(hours=1))
    work = Summarize(SessionStore(database), voice, clock, beside, MODEL)
    async for _ in work.slices(stores.tenant, clock.now(), None, None):
        pass


async def _said(stores: Stores) -> None:
    messages = [
        new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n), content=f"We bought boat number {n}.")
        for n in range(3)
    ]
    await stores.record(*messages)
    for setter in SETTERS.values():
        await setter(stores, [one.message_id for one in messages], STORED)


async def test_it_is_told_as_it_would_have_been(
    database: Database, beside: CpuExecutor, stores: Stores
) -> None:
    """The same events under the same ids as by who makes the same summary and lives."""
    await _said(stores)
    with pytest.raises(BusUnavailable):
        await _sum_up(database, beside, stores, _Voice(dies=True))
    afterwards = _Voice()
    await _sum_up(database, beside, stores, afterwards)
    assert afterwards.heard == []
    later = ManualClock(STORED + timedelta(hours=2))
    await Reconcile(_OneTenant(database, stores.tenant), afterwards, _Idle(), later, MODEL).run()
    (told,) = afterwards.ids("session.summarized")
    (created,) = afterwards.ids("memory.created")
    again = _Voice()
    await Reconcile(_OneTenant(database, stores.tenant), again, _Idle(), later, MODEL).run()
    assert (again.ids("session.summarized"), again.ids("memory.created")) == ([told], [created])


async def test_a_session_that_goes_on_is_left_alone(
    database: Database, beside: CpuExecutor, stores: Stores
) -> None:
    """Also when it was looked at, as after a correction in the midst of it."""
    await _said(stores)
    await correct(stores, stores.id("m-1"), "We bought a boat of wood.")
    for setter in SETTERS.values():
        await setter(stores, ["m-1"], STORED)
    voice, clock = _Voice(), ManualClock(STORED + timedelta(minutes=5))
    work = Summarize(SessionStore(database), voice, clock, beside, MODEL)
    assert [one.examined async for one in work.slices(stores.tenant, clock.now(), None, None)] == [0]
    assert voice.heard == []
    await _sum_up(database, beside, stores, voice)
    assert len(voice.ids("session.summarized")) == 1


async def test_one_that_fails_keeps_nobody_else(
    database: Database, beside: CpuExecutor, stores: Stores
) -> None:
    """Neither who comes after it, nor the next time."""
    for name in ("c-1", "c-2"):
        messages = [
            new_message(
                f"{name}-{n}",
                tenant=stores.tenant,
                timestamp=at(n),
                conversation_id=name,
                content=f"{name} sails.",
            )
            for n in range(2)
        ]
        await stores.record(*messages)
        for setter in SETTERS.values():
            await setter(stores, [one.message_id for one in messages], STORED)
    voice, clock = _Voice(), ManualClock(STORED + timedelta(hours=1))
    work = Summarize(
        SessionStore(database), voice, clock, beside, MODEL, condensing=_FailsOf("c-1"), name="summarize"
    )
    done = [one async for one in work.slices(stores.tenant, clock.now(), None, None)]
    assert (sum(one.failed for one in done), sum(one.created for one in done)) == (1, 1)


@dataclass(frozen=True)
class _FailsOf:
    """Condenses nothing, and fails of a conversation."""

    conversation_id: str

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:
        """Fail, or return nothing."""
        if turns[0].memory.conversation_id == self.conversation_id:
            raise ValueError("a fault of our own")
        return None
