"""Laws of the worker: whatever a handler does, each delivery is settled once, after what it produced."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from hypothesis import example, given
from hypothesis import strategies as st
from tests.fixtures.workshop import SETTLEMENTS, Created, Workshop, created, event_id, number_of

from ricordo.bus.port import BusError, Outgoing, PublishRefused
from ricordo.messages.enumerations import ForgetScope
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import MemoryForgotten, MemoryRemembered
from ricordo.messages.ids import derived_id
from ricordo.messages.subjects import STREAM_DERIVED
from ricordo.runtime.handling import Done, Outcome, Reject, Retry
from ricordo.runtime.worker.state import ConsumptionSettings

MAX_DELIVER = 4
Plan = str
PLANS = st.sampled_from(["done", "two events", "retry", "reject", "raise", "refused"])


def produced(event: Created, plan: Plan) -> tuple[DerivedEvent, ...]:
    """Return events without items, each of which is published for itself."""
    forgotten = MemoryForgotten(user_id="u-1", memory_id=event.body.memory_id, scope=ForgetScope.MESSAGE)
    remembered = MemoryRemembered(
        user_id="u-1", conversation_id="c-1", message_id="m-1", memory_id=event.body.memory_id
    )
    return (forgotten, remembered, forgotten) if plan == "two events" else (forgotten,)


class Scripted:
    """Follows a plan for each event and attempt; the last plan of an event is repeated."""

    def __init__(self, scripts: Sequence[Sequence[Plan]]) -> None:
        self.scripts = scripts

    def plan(self, number: int, attempt: int) -> Plan:
        script = self.scripts[number]
        return script[min(attempt, len(script)) - 1]

    def outcome(self, event: Created) -> Outcome:
        plan = self.plan(number_of(event), event.attempt)
        match plan:
            case "retry":
                return Retry(reason="not now")
            case "reject":
                return Reject("wrong", "it is wrong")
            case "raise":
                raise OSError("broken")
            case _:
                return Done(produced(event, plan))

    async def __call__(self, tenant: str, events: Sequence[Created]) -> Sequence[Outcome]:
        assert {event.tenant for event in events} == {tenant}
        await asyncio.sleep(0)
        return [self.outcome(event) for event in events]

    def end(self, number: int) -> tuple[str, int]:
        """How an event ends, and at which attempt."""
        for attempt in range(1, MAX_DELIVER + 1):
            plan = self.plan(number, attempt)
            if plan in ("done", "two events"):
                return "ack", attempt
            if plan == "reject":
                return "terminate", attempt
        return "terminate", MAX_DELIVER


async def run(
    scripts: Sequence[Sequence[Plan]], tenants: Sequence[str], batch: int
) -> tuple[Workshop, Scripted]:
    shop = Workshop(max_deliver=MAX_DELIVER)
    handler = Scripted(scripts)
    attempts: Counter[str] = Counter()
    numbers = {str(event_id(number)): number for number in range(len(scripts))}

    def refusing(message: Outgoing) -> BusError | None:
        """Refuse what a cause produces at the attempts whose plan says so."""
        body_id = message.headers.get("Nats-Msg-Id", "")
        for cause, number in numbers.items():
            if body_id == str(derived_id(UUID(cause), "memory.forgotten", 0)):
                attempts[cause] = sum(
                    entry.attempt > 0 and entry.sequence == number + 1 and entry.what in SETTLEMENTS
                    for entry in shop.bus.journal
                )
                if handler.plan(number, attempts[cause] + 1) == "refused":
                    return PublishRefused("not this one")
        return None

    messages = [created(number, tenant) for number, tenant in zip(range(len(scripts)), tenants, strict=False)]
    assert await shop.bus.publish(messages) == [None] * len(messages)
    shop.bus.refusing = refusing
    # One slot more than there are messages: a halted worker whose slots are all taken finds no other to try.
    worker = shop.worker(handler, settings=ConsumptionSettings(batch=batch, slots=len(scripts) + batch))
    async with shop.running(worker):
        await shop.work_off()
    assert worker.health.in_flight == 0
    return shop, handler


@example(scripts=[["raise"], ["retry"], ["retry"]], tenants=["acme"] * 8, batch=1)
@given(
    scripts=st.lists(st.lists(PLANS, min_size=1, max_size=5), min_size=1, max_size=8),
    tenants=st.lists(st.sampled_from(["acme", "zeta"]), min_size=8, max_size=8),
    batch=st.integers(1, 5),
)
def test_any_mix_of_outcomes(scripts: list[list[Plan]], tenants: list[str], batch: int) -> None:
    shop, handler = asyncio.run(run(scripts, tenants, batch))
    settled = [entry for entry in shop.settlements() if entry.subject.endswith("memory.created")]
    per_delivery = Counter((entry.sequence, entry.attempt) for entry in settled)
    assert set(per_delivery.values()) == {1}, "each delivery is settled exactly once"
    ends = {entry.sequence - 1: (entry.what, entry.attempt) for entry in settled if entry.what != "retry"}
    assert ends == {number: handler.end(number) for number in range(len(scripts))}
    given_up = sum(what == "terminate" for what, _ in ends.values())
    assert len(shop.dead()) == len(shop.buried) == given_up
    _published_before_the_ack(shop, scripts)
    _ids_follow_from_the_cause(shop, scripts, handler)


def _published_before_the_ack(shop: Workshop, scripts: list[list[Plan]]) -> None:
    published: dict[str, int] = {}
    for place, entry in enumerate(shop.bus.journal):
        if entry.what == "publish" and entry.message is not None:
            published[entry.message.headers.get("Nats-Msg-Id", "")] = place
        elif entry.what == "ack":
            first = str(derived_id(event_id(entry.sequence - 1), "memory.forgotten", 0))
            assert first in published
            assert published[first] < place
        elif entry.what == "terminate":
            assert f"dlq:{STREAM_DERIVED}:{entry.sequence}:encode" in published


def _ids_follow_from_the_cause(shop: Workshop, scripts: list[list[Plan]], handler: Scripted) -> None:
    expected = set()
    for number in range(len(scripts)):
        what, attempt = handler.end(number)
        if what == "ack":
            cause = event_id(number)
            expected.add(str(derived_id(cause, "memory.forgotten", 0)))
            if handler.plan(number, attempt) == "two events":
                expected |= {
                    str(derived_id(cause, "memory.forgotten", 1)),
                    str(derived_id(cause, "memory.remembered", 0)),
                }
    found = {
        message.headers["Nats-Msg-Id"]
        for message in shop.bus.stored(STREAM_DERIVED)
        if not message.subject.endswith("memory.created")
    }
    assert found == expected
