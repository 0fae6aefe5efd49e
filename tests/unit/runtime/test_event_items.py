"""Events of several items: handled together, and each for itself where one fails."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.workshop import CREATED, Created, Workshop, event_id, number_of
from tests.support.manual_clock import ManualClock

from ricordo.bus.port import BusError, Outgoing, PublishRefused
from ricordo.messages.codec import encode
from ricordo.messages.event_items import MAX_ITEMS, gather
from ricordo.messages.events import MemoryCreated, MemoryEncoded, ReadingRequested
from ricordo.messages.ids import memory_id
from ricordo.messages.subjects import ITEMS, REPLAYED_FOR, STREAM_DERIVED, TRACE_PARENTS
from ricordo.runtime.event_publishing import Effects, publications
from ricordo.runtime.handling import Done, Outcome, Reject, Retry
from ricordo.runtime.tracing import TraceContext
from ricordo.runtime.worker.state import ConsumptionSettings

NOON = ManualClock().now()


def item(number: int) -> MemoryCreated:
    name = f"m-{number}"
    return MemoryCreated(
        user_id="u-1", conversation_id="c-1", message_id=name, memory_id=memory_id("acme", name)
    )


def event(first: int, count: int, lane: str = "") -> Outgoing:
    """Return an event of `count` items, from the n-th on."""
    items = [item(number) for number in range(first, first + count)]
    body = encode(gather(event_id(first), NOON, items))
    return Outgoing(subject=CREATED.format("acme") + lane, body=body, headers={ITEMS: str(count)})


class Scripted:
    """Fails at the items of `failing` for so many times, and notes the batches."""

    def __init__(self, failing: dict[int, tuple[int, Outcome]] | None = None) -> None:
        self.failing = failing or {}
        self.batches: list[list[int]] = []
        self.times: Counter[int] = Counter()

    async def __call__(self, tenant: str, events: Sequence[Created]) -> Sequence[Outcome]:
        assert tenant == "acme"
        self.batches.append([number_of(one) for one in events])
        return [self._outcome(one) for one in events]

    def _outcome(self, one: Created) -> Outcome:
        number = number_of(one)
        self.times[number] += 1
        times, outcome = self.failing.get(number, (0, Done()))
        if self.times[number] <= times:
            return outcome
        return Done((MemoryEncoded(user_id="u-1", memory_id=one.body.memory_id, model="m"),))


def encoded(shop: Workshop, lane: str = "") -> list[list[UUID]]:
    """Return the memories of each `memory.encoded`."""
    stored = [one for one in shop.bus.stored(STREAM_DERIVED) if one.subject.endswith(f"encoded{lane}")]
    return [[UUID(each["memory_id"]) for each in json.loads(one.body)["items"]] for one in stored]


async def worked_off(handler: Scripted, *events: Outgoing, batch: int = 64, max_deliver: int = 4) -> Workshop:
    shop = Workshop(max_deliver=max_deliver)
    assert await shop.bus.publish(events) == [None] * len(events)
    worker = shop.worker(handler, settings=ConsumptionSettings(batch=batch, slots=100))
    async with shop.running(worker):
        await shop.work_off()
    assert worker.health.in_flight == 0
    return shop


async def test_items_of_several_events_are_one_batch_and_their_events_are_gathered() -> None:
    handler = Scripted()
    shop = await worked_off(handler, event(0, 3), event(3, 2), batch=5)
    assert handler.batches == [[0, 1, 2, 3, 4]]
    assert encoded(shop) == [[memory_id("acme", f"m-{number}") for number in range(5)]]


async def test_a_batch_takes_no_event_that_would_make_it_too_large() -> None:
    handler = Scripted()
    await worked_off(handler, event(0, 3), event(3, 3), event(6, 1), batch=4)
    assert handler.batches == [[0, 1, 2], [3, 4, 5, 6]]


async def test_an_item_that_fails_is_handled_alone_and_the_others_are_done_once() -> None:
    handler = Scripted({1: (2, Retry(reason="not yet", is_failure=True))})
    shop = await worked_off(handler, event(0, 4))
    assert handler.batches == [[0, 1, 2, 3], [1], [1]]
    (alone,) = [one for one in shop.bus.stored(STREAM_DERIVED) if REPLAYED_FOR in one.headers]
    assert (alone.headers[REPLAYED_FOR], alone.headers[ITEMS]) == ("encode", "1")
    assert sorted(map(len, encoded(shop))) == [1, 3]
    assert shop.dead() == []


async def test_an_item_dies_alone() -> None:
    handler = Scripted({1: (99, Retry(reason="never", is_failure=True)), 2: (99, Reject("wrong", "it is"))})
    shop = await worked_off(handler, event(0, 4))
    assert handler.times == {0: 1, 1: 5, 2: 2, 3: 1}, "once together, and then as often as may be"
    assert sorted(letter.refers_to.message_id or "" for letter in shop.buried) == ["m-1", "m-2"]


async def test_an_event_that_was_delivered_before_is_taken_apart_unhandled() -> None:
    """Whatever its worker died of: it may be one of the items."""
    shop, handler = Workshop(), Scripted()
    await shop.bus.publish([event(0, 3)])
    subscription = await shop.bus.subscribe("encode")
    assert len(await subscription.fetch(1, 0.0)) == 1
    await shop.clock.advance(31.0)  # and nobody has settled it
    async with shop.running(shop.worker(handler, settings=ConsumptionSettings(batch=1))):
        await shop.work_off()
    assert sorted(handler.batches) == [[0], [1], [2]]


async def test_a_stop_returns_an_event_whole_of_which_nothing_was_done() -> None:
    shop, entered, going = Workshop(), asyncio.Event(), asyncio.Event()

    async def failing(_: str, __: Sequence[Created]) -> Sequence[Outcome]:
        entered.set()
        await going.wait()
        raise OSError("its server went away")

    async with shop.running(shop.worker(failing)):
        await shop.bus.publish([event(0, 3)])
        await entered.wait()
        asyncio.get_running_loop().call_later(0.05, going.set)  # by then it has been told to stop
    assert [entry.what for entry in shop.settlements()] == ["retry"]
    assert len(shop.bus.stored(STREAM_DERIVED)) == 1, "no item was published alone"


async def test_what_follows_is_on_the_lane_of_its_cause_or_on_the_bulk_lane_where_that_is_said() -> None:
    cause, memory = UUID(int=7), UUID(int=9)
    made = MemoryEncoded(user_id="u-1", memory_id=memory, model="m")
    again = ReadingRequested(user_id="u-1", memory_id=memory, reason="why")
    subjects = {}
    for is_bulk in (False, True):
        effects = [Effects(cause=cause, events=[made], bulk_events=[again], is_bulk=is_bulk)]
        found = publications(effects, tenant="acme", source="encode", at=NOON)
        subjects[is_bulk] = [one.message.subject.removeprefix("memory.v1.acme.") for one in found]
    assert subjects == {
        False: ["memory.encoded", "reading.requested.bulk"],
        True: ["memory.encoded.bulk", "reading.requested.bulk"],
    }


@given(causes=st.lists(st.integers(0, 3), max_size=150))
def test_gathered_events_have_all_items_in_order_in_few_messages(causes: list[int]) -> None:
    """`causes` have so many items each."""
    trace = [TraceContext.begin() for _ in causes]
    effects = [
        Effects(
            cause=UUID(int=number + 1),
            events=[MemoryEncoded(user_id="u-1", memory_id=UUID(int=number), model="m")] * items,
            trace=trace[number],
        )
        for number, items in enumerate(causes)
    ]
    found = publications(effects, tenant="acme", source="encode", at=NOON)
    bodies = [json.loads(one.message.body)["items"] for one in found]
    owners = [number for number, items in enumerate(causes) for _ in range(items)]
    assert [UUID(item["memory_id"]).int for body in bodies for item in body] == owners
    assert len(found) == -(-len(owners) // MAX_ITEMS)
    assert len({one.message.headers["ce-id"] for one in found}) == len(found)
    for one, body in zip(found, bodies, strict=True):
        assert one.effects == {UUID(item["memory_id"]).int for item in body}
        traces = one.message.headers.get(TRACE_PARENTS, one.message.headers["traceparent"]).split(",")
        assert {*traces} == {str(trace[number]) for number in one.effects}


def test_where_an_event_is_refused_all_that_led_to_it_comes_again() -> None:
    async def run() -> None:
        shop, handler = Workshop(), Scripted()
        refused = 0

        def refusing(message: Outgoing) -> BusError | None:
            nonlocal refused
            refused += message.subject.endswith("encoded")
            return PublishRefused("not now") if refused == 1 and message.subject.endswith("encoded") else None

        await shop.bus.publish([event(0, 2), event(2, 1)])
        shop.bus.refusing = refusing
        async with shop.running(shop.worker(handler, settings=ConsumptionSettings(batch=3))):
            await shop.work_off()
        assert handler.batches[0] == [0, 1, 2]
        assert sorted(number for batch in handler.batches[1:] for number in batch) == [0, 1, 2]
        assert {one for each in encoded(shop) for one in each} == {item(n).memory_id for n in range(3)}

    asyncio.run(run())
