"""The server of queries and commands when many ask at once, and when it stops."""

import asyncio

import pytest
from tests.fixtures.query_desk import STATS_REPLY, Desk
from tests.support.manual_clock import settle

from ricordo.bus.port import BusUnavailable
from ricordo.messages.message_types import Message
from ricordo.messages.queries import StatsRequest
from ricordo.runtime.handling import QueryHandler
from ricordo.runtime.query_server import ServerSettings


def after(going: asyncio.Event) -> QueryHandler[StatsRequest]:
    async def handler(_: str, __: StatsRequest) -> Message:
        await going.wait()
        return STATS_REPLY

    return handler


class TestLoad:
    async def test_requests_are_served_side_by_side_up_to_the_limit(self) -> None:
        desk, going, most, now = Desk(), asyncio.Event(), 0, 0

        async def handler(_: str, __: StatsRequest) -> Message:
            nonlocal most, now
            now += 1
            most = max(most, now)
            await going.wait()
            now -= 1
            return STATS_REPLY

        async with desk.open(desk.server(handler, ServerSettings(concurrency=3))):
            asking = [asyncio.create_task(desk.ask()) for _ in range(10)]
            await settle()
            going.set()
            replies = await asyncio.gather(*asking)
        assert most == 3
        assert all(reply["memories"] == 3 for reply, _ in replies)

    async def test_a_crowd_is_told_to_come_back_and_so_is_who_waits_long(self) -> None:
        desk, going = Desk(), asyncio.Event()

        async with desk.open(desk.server(after(going), ServerSettings(concurrency=1, waiting=2), 2.0)):
            asking = [asyncio.create_task(desk.ask()) for _ in range(5)]
            await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
            await settle()
            assert [one.done() for one in asking] == [False] * 3 + [True] * 2
            refused = [reply for reply, _ in await asyncio.gather(*asking[1:])]
            going.set()
            assert (await asking[0])[0]["memories"] == 3
        assert [reply["error"]["code"] for reply in refused] == ["unavailable"] * 4


class TestStopping:
    async def test_requests_in_hand_are_answered(self) -> None:
        desk, going = Desk(), asyncio.Event()

        async with desk.open(desk.server(after(going))) as stopping:
            asking = asyncio.create_task(desk.ask())
            await settle()
            stopping.set()
            await settle()
            with pytest.raises(BusUnavailable):
                await desk.ask()
            going.set()
            assert (await asking)[0]["memories"] == 3

    async def test_what_outlasts_the_grace_is_told_so(self) -> None:
        desk = Desk()

        async with desk.open(desk.server(after(asyncio.Event()), ServerSettings(grace=0.05))) as stopping:
            asking = asyncio.create_task(desk.ask())
            await settle()
            stopping.set()
            assert (await asking)[0]["error"]["code"] == "unavailable"

    async def test_a_server_waits_for_a_bus_that_is_not_there_yet(self) -> None:
        desk = Desk()
        desk.bus.away = True
        stopping, readied = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(desk.server().run(stopping, readied.set))
        await desk.clock.advance(10.0)
        assert not readied.is_set()
        desk.bus.away = False
        await desk.clock.advance(10.0)
        assert readied.is_set()
        stopping.set()
        await asyncio.wait_for(task, 5)
