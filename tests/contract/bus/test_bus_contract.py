"""What every bus promises, whatever stands behind it."""

import asyncio
import time

import nats.errors
import pytest
from tests.contract.bus.conftest import ACK_WAIT, MAX_DELIVER, AnyBus
from tests.fixtures.eventually import eventually
from tests.support.bus import MemoryBus

from ricordo.bus.port import BusUnavailable, Delivery, Outgoing, PublishRefused, ReceivedRequest, Subscription


def message(subject: str, body: bytes = b"{}", **headers: str) -> Outgoing:
    return Outgoing(subject=subject, body=body, headers=headers)


async def fetched(subscription: Subscription, count: int, seconds: float = 5.0) -> list[Delivery]:
    found: list[Delivery] = []
    async with asyncio.timeout(seconds):
        while len(found) < count:
            found += await subscription.fetch(count - len(found), 1.0)
    return found


async def publish(bus: AnyBus, *messages: Outgoing) -> None:
    assert await bus.publish(messages) == [None] * len(messages)


class TestPublishing:
    async def test_what_is_acknowledged_is_delivered_unchanged_and_in_order(self, bus: AnyBus) -> None:
        bodies = [bytes([n, 0, 255]) for n in range(20)]
        await publish(bus, *(message("log.x.read", body, Colour="è rosso") for body in bodies))
        deliveries = await fetched(await bus.subscribe("readers"), 20)
        assert [delivery.body for delivery in deliveries] == bodies
        assert [delivery.sequence for delivery in deliveries] == list(range(1, 21))
        assert {delivery.headers["Colour"] for delivery in deliveries} == {"è rosso"}
        assert {delivery.subject for delivery in deliveries} == {"log.x.read"}

    async def test_one_result_per_message_in_order(self, bus: AnyBus) -> None:
        subjects = ("log.x.read", "nobody.stores.this", "log.y.read")
        results = await bus.publish([message(subject) for subject in subjects])
        assert [type(result) for result in results] == [type(None), BusUnavailable, type(None)]
        assert list(await bus.publish([])) == []

    async def test_a_full_work_queue_refuses_and_takes_again_when_something_is_settled(
        self, bus: AnyBus
    ) -> None:
        body = b"x" * 4000
        refusal = None
        for _ in range(50):
            (refusal,) = await bus.publish([message("queue.a", body)])
            if refusal is not None:
                break
        assert isinstance(refusal, PublishRefused)
        assert "exceeded" in str(refusal)
        (first,) = await fetched(await bus.subscribe("workers"), 1)
        await first.ack()

        async def taken() -> bool:
            return await bus.publish([message("queue.a", body)]) == [None]

        await eventually(taken)


class TestFetching:
    async def test_returns_what_is_there_without_waiting_for_more(self, bus: AnyBus) -> None:
        subscription = await bus.subscribe("readers")
        assert list(await subscription.fetch(5, 0.0)) == []
        began = time.monotonic()
        assert list(await subscription.fetch(5, 0.3)) == []
        assert 0.2 < time.monotonic() - began < 2.0
        await publish(bus, *(message("log.x.read") for _ in range(10)))
        began = time.monotonic()
        assert [len(await subscription.fetch(limit, 20.0)) for limit in (1, 3, 50)] == [1, 3, 6]
        assert time.monotonic() - began < 10.0

    async def test_waits_for_the_first_and_returns_at_once_when_it_comes(self, bus: AnyBus) -> None:
        subscription = await bus.subscribe("readers")
        waiting = asyncio.ensure_future(subscription.fetch(50, 20.0))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        began = time.monotonic()
        await publish(bus, message("log.x.read"))
        assert len(await waiting) == 1
        assert time.monotonic() - began < 4.0

    async def test_only_what_its_filter_lets_through(self, bus: AnyBus) -> None:
        await publish(bus, message("log.x.write"), message("log.x.read"), message("log.x.y.read"))
        assert [d.subject for d in await fetched(await bus.subscribe("readers"), 1)] == ["log.x.read"]
        assert len(await fetched(await bus.subscribe("auditors"), 3)) == 3

    async def test_two_consumers_each_get_everything_two_members_share(self, bus: AnyBus) -> None:
        await publish(bus, *(message("log.x.read") for _ in range(10)))
        one, two = await bus.subscribe("readers"), await bus.subscribe("readers")
        shared = [*await one.fetch(5, 1.0), *await two.fetch(10, 1.0)]
        assert sorted(delivery.sequence for delivery in shared) == list(range(1, 11))
        assert len(await fetched(await bus.subscribe("auditors"), 10)) == 10

    async def test_an_unknown_consumer_is_a_mistake_of_ours(self, bus: AnyBus) -> None:
        with pytest.raises(KeyError):
            await bus.subscribe("nobody")

    async def test_a_given_up_fetch_loses_nothing(self, bus: AnyBus) -> None:
        subscription = await bus.subscribe("readers")
        waiting = asyncio.ensure_future(subscription.fetch(5, 3.0))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await publish(bus, message("log.x.read"))
        (delivery,) = await fetched(subscription, 1)
        assert delivery.attempt == 1


class TestSettling:
    async def test_what_was_handed_back_comes_again_after_its_delay_and_counts(self, bus: AnyBus) -> None:
        await publish(bus, message("queue.a"))
        subscription = await bus.subscribe("workers")
        (first,) = await fetched(subscription, 1)
        began = time.monotonic()
        await first.retry(0.4)
        (second,) = await fetched(subscription, 1)
        assert time.monotonic() - began >= 0.35
        assert (first.attempt, second.attempt, second.sequence) == (1, 2, first.sequence)

    async def test_what_was_left_comes_again_after_the_ack_wait(self, bus: AnyBus) -> None:
        await publish(bus, message("queue.a"))
        subscription = await bus.subscribe("workers")
        assert subscription.ack_wait == ACK_WAIT
        await fetched(subscription, 1)
        (again,) = await fetched(subscription, 1)
        assert again.attempt == 2

    async def test_progress_keeps_it_from_coming_again(self, bus: AnyBus) -> None:
        await publish(bus, message("queue.a"))
        subscription = await bus.subscribe("workers")
        (delivery,) = await fetched(subscription, 1)
        for _ in range(8):
            assert list(await subscription.fetch(1, ACK_WAIT / 4)) == []
            await delivery.in_progress()
        await delivery.ack()

    async def test_what_is_settled_comes_no_more(self, bus: AnyBus) -> None:
        await publish(bus, message("queue.a"), message("queue.a"), message("queue.a"))
        subscription = await bus.subscribe("workers")
        assert subscription.max_deliver == MAX_DELIVER
        acked, terminated, failing = await fetched(subscription, 3)
        await terminated.terminate()
        for attempt in range(2, MAX_DELIVER + 1):
            await failing.retry(0.01)
            (failing,) = await fetched(subscription, 1)
            assert failing.attempt == attempt
        await failing.retry(0.01)
        await subscription.close()
        await subscription.close()
        await acked.ack()
        assert list(await (await bus.subscribe("workers")).fetch(3, ACK_WAIT * 1.5)) == []

    async def test_what_comes_again_comes_before_what_is_new(self, bus: AnyBus) -> None:
        await publish(bus, message("queue.a"), message("queue.a"), message("queue.a"))
        subscription = await bus.subscribe("workers")
        (delivery,) = await fetched(subscription, 1)
        await delivery.retry(0.01)
        await asyncio.sleep(0.3)
        again = [*await subscription.fetch(1, 1.0), *await subscription.fetch(5, 0.0)]
        assert [(one.sequence, one.attempt) for one in again] == [(1, 2), (2, 1), (3, 1)]


class TestRequests:
    async def test_a_request_is_answered_with_headers(self, bus: AnyBus) -> None:
        tasks = []

        async def answer(request: ReceivedRequest) -> None:
            await request.respond(request.body + b"!", {"Mood": request.headers["Mood"]})

        endpoint = await bus.serve("ask.*.it", "q", lambda r: tasks.append(asyncio.ensure_future(answer(r))))
        assert await ask(bus, "ask.me.it", b"hello", {"Mood": "blu"}) == (b"hello!", {"Mood": "blu"})
        await endpoint.close()
        await endpoint.close()
        with pytest.raises(BusUnavailable):
            await ask(bus, "ask.me.it", b"hello", {})

    async def test_a_queue_answers_once_each_one_without_a_queue(self, bus: AnyBus) -> None:
        heard: list[str] = []
        answered = asyncio.Event()

        def hearing(name: str) -> None:
            heard.append(name)
            if len(heard) >= 3:
                answered.set()

        for name, queue in (("a", "q"), ("b", "q"), ("c", None), ("d", None)):
            await bus.serve("tell", queue, lambda _, name=name: hearing(name))  # type: ignore[misc]  # default argument
        asking = asyncio.ensure_future(ask(bus, "tell", b"", {}))
        async with asyncio.timeout(5):
            await answered.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert len([name for name in heard if name in "ab"]) == 1
        assert sorted(name for name in heard if name in "cd") == ["c", "d"]


async def ask(
    bus: AnyBus, subject: str, body: bytes, headers: dict[str, str]
) -> tuple[bytes, dict[str, str]]:
    if isinstance(bus, MemoryBus):
        reply, found = await bus.request(subject, body, headers)
        return reply, dict(found)
    try:
        answer = await bus._connection.client.request(subject, body, timeout=5, headers=headers or None)
    except nats.errors.NoRespondersError:
        raise BusUnavailable("nobody listens") from None
    return answer.data, dict(answer.headers or {})
