"""Listeners to events, on a real server: who reads too slowly is ended, and delays nobody."""

import asyncio
import json
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from nats.aio.client import Client
from tests.fixtures.gateway import GatewayAccess
from tests.fixtures.wire import new_tenant

from ricordo.runtime.tasks import cancel_and_wait
from ricordo_services.gateway import event_stream
from ricordo_services.gateway.event_stream import MOST_WAITING, EventFeeds, Listener
from ricordo_services.gateway.nats_clients import NatsClients


@pytest.fixture
async def feeds(client: Client) -> AsyncIterator[EventFeeds]:
    feeds = EventFeeds(NatsClients(client), 100)
    yield feeds
    await feeds.closed()


async def _publish(client: Client, tenant: str, count: int) -> None:
    body = json.dumps({"id": str(uuid4()), "user_id": "u-1"}).encode()
    subject = f"memory.v1.{tenant}.memory.remembered"  # which no worker reads
    await asyncio.gather(*(client.jetstream().publish(subject, body, timeout=30) for _ in range(count)))


async def _read(listener: Listener, count: int) -> int:
    read = 0
    async with asyncio.timeout(60):
        while read < count and not (listener.is_ended and read == MOST_WAITING):
            read += await listener.next(1.0) is not None
    return read


async def test_a_slow_listener_is_ended_after_what_waited_and_may_resume(
    client: Client, feeds: EventFeeds
) -> None:
    tenant, more = new_tenant(), 50
    slow, quick = await feeds.listen(tenant, None, "key"), await feeds.listen(tenant, None, "key")
    reading = asyncio.create_task(_read(quick, MOST_WAITING + more))
    await _publish(client, tenant, MOST_WAITING + more)
    assert await reading == MOST_WAITING + more
    assert (slow.is_ended, quick.is_ended) == (True, False)
    last = 0
    while (message := await slow.next(0.1)) is not None:
        last = message.metadata.sequence.stream
    resumed = await feeds.listen(tenant, last, "key")
    assert await _read(resumed, more) == more
    for listener in (slow, quick, resumed):
        feeds.leave(listener)


async def test_a_listener_without_events_of_its_own_is_kept_alive_in_a_busy_tenant(
    gateway: GatewayAccess, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "_KEEP_ALIVE_S", 0.2)

    async def others() -> None:
        while True:
            await _publish(client, gateway.tenant, 10)

    async with await gateway.client_of("u-quiet") as http, http.stream("GET", "/v1/events") as stream:
        publishing = asyncio.create_task(others())
        lines = stream.aiter_lines()
        async with asyncio.timeout(30):
            heard = [await anext(lines) for _ in range(6)]
        await cancel_and_wait(publishing)
    assert heard == [": connected", "", ": keep-alive", "", ": keep-alive", ""]
