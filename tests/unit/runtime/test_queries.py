"""The server of queries and commands: every request gets an answer, also when many ask and when it stops."""

import asyncio
from functools import partial
from uuid import UUID

import pytest
from tests.fixtures.query_desk import ASKED, STATS, STATS_REPLY, Desk
from tests.fixtures.sentence_tables import table
from tests.support.manual_clock import settle

from ricordo.bus.port import BusUnavailable
from ricordo.graph.graph_model import GraphUnavailable
from ricordo.messages.errors import ErrorCode
from ricordo.messages.events import MemoryAccessed
from ricordo.messages.ids import derived_id
from ricordo.messages.message_types import REPLY_MAX_BYTES, Message
from ricordo.messages.queries import StatsReply, StatsRequest
from ricordo.messages.subjects import STREAM_DERIVED
from ricordo.runtime.handling import QueryHandler, QueryResult, QueryRoute
from ricordo.runtime.query_server import QueryServer, ServerSettings
from ricordo.store.database import StoreUnavailable
from ricordo.unavailable import DependencyUnavailable


class Wordy(Message):
    """A reply that may be too long."""

    text: str


async def error(desk: Desk, subject: str = STATS, body: bytes = ASKED) -> tuple[str, str, str | None]:
    reply, headers = await desk.ask(subject, body)
    problem = reply["error"]
    code = ErrorCode(problem["code"])
    assert headers["Nats-Service-Error-Code"] == str(code.number)
    assert headers["Nats-Service-Error"].startswith(code)
    return problem["code"], problem["message"], problem["field"]


class TestAnswers:
    async def test_events_follow_the_answer(self) -> None:
        desk = Desk()
        cause = UUID(int=7)
        accessed = MemoryAccessed(user_id="u-1", recall_id=cause, memory_id=UUID(int=9))

        async def handler(_: str, __: StatsRequest) -> QueryResult:
            return QueryResult(STATS_REPLY, events=(accessed,), cause=cause)

        async with desk.open(desk.server(handler)):
            await desk.ask(headers={"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"})
        (event,) = desk.bus.stored(STREAM_DERIVED)
        assert event.subject == "memory.v1.acme.memory.accessed"
        assert event.headers["ce-id"] == str(derived_id(cause, "memory.accessed", 0))
        assert event.headers["traceparent"].startswith(f"00-{'a' * 32}-")

    async def test_an_answer_stands_although_its_events_are_lost(self) -> None:
        desk = Desk()

        async def handler(_: str, __: StatsRequest) -> QueryResult:
            desk.bus.away = True
            accessed = MemoryAccessed(user_id="u-1", recall_id=UUID(int=7), memory_id=UUID(int=9))
            return QueryResult(STATS_REPLY, events=(accessed,))

        async with desk.open(desk.server(handler)):
            assert (await desk.ask())[0]["memories"] == 3


class TestErrors:
    @pytest.mark.parametrize(("name", "body", "code", "field"), table(__file__, "bad_requests"))
    async def test_bad_requests_get_a_precise_error(
        self, name: str, body: str, code: str, field: str
    ) -> None:
        desk = Desk()
        async with desk.open(desk.server()):
            found, message, at = await error(desk, f"memory.v1.{name}", body.encode())
        assert (found, at or "") == (code, field)
        assert message

    @pytest.mark.parametrize(
        ("raised", "server"), [(StoreUnavailable, "PostgreSQL"), (GraphUnavailable, "the graph")]
    )
    async def test_an_unavailable_server_is_named(
        self, raised: type[DependencyUnavailable], server: str
    ) -> None:
        async def handler(_: str, __: StatsRequest) -> Message:
            raise raised("for reasons of its own")

        desk = Desk()
        async with desk.open(desk.server(handler)):
            assert await error(desk) == ("unavailable", f"{server} is away: try again", None)

    async def test_a_failure_tells_the_caller_nothing_of_its_cause(self) -> None:
        desk = Desk()

        async def handler(_: str, __: StatsRequest) -> Message:
            raise ValueError("password=hunter2")

        server = desk.server(handler)
        async with desk.open(server):
            code, message, _ = await error(desk)
        assert code == "internal"
        assert "hunter2" not in message
        assert server.health.failed == 1

    async def test_what_takes_too_long_is_answered_with_timeout(self) -> None:
        desk = Desk()

        async def handler(_: str, __: StatsRequest) -> Message:
            await asyncio.Event().wait()
            return STATS_REPLY

        async with desk.open(desk.server(handler, ServerSettings(deadline=0.05))):
            assert (await error(desk))[0] == "timeout"

    async def test_names_that_another_server_answers_are_left_to_it(self) -> None:
        desk = Desk()

        async def other(_: str, __: StatsRequest) -> Message:
            return StatsReply(memories=7)

        routes = {"query.stats": QueryRoute(handler=other)}
        serve = partial(QueryServer, kind="query", bus=desk.bus, clock=desk.clock)
        every = serve(name="every", routes={}, excluded=("query.stats",))
        one = serve(name="one", routes=routes, exclusive=True)
        async with desk.open(one):
            with pytest.raises(BusUnavailable):
                await desk.ask("memory.v1.acme.query.nonsense")
            async with desk.open(every):
                assert (await desk.ask())[0]["memories"] == 7
                assert (await error(desk, "memory.v1.acme.query.nonsense"))[0] == "not_found"
                assert (await error(desk, body=b"{}"))[2] == "user_id"
        assert every.health.processed + every.health.failed == 1


class TestLongReplies:
    async def test_a_reply_that_does_not_fit_is_shortened(self) -> None:
        desk = Desk()

        async def handler(_: str, __: StatsRequest) -> Message:
            return Wordy(text="x" * 2_000_000)

        def fit(reply: Wordy, limit: int) -> Message:
            assert limit == REPLY_MAX_BYTES
            return Wordy(text=reply.text[: limit - 100])

        async with desk.open(desk.server(handler, fit=fit)):
            reply, _ = await desk.ask()
        assert len(reply["text"]) == REPLY_MAX_BYTES - 100


def after(going: asyncio.Event) -> QueryHandler:
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
        async with desk.open(
            desk.server(after(going), ServerSettings(deadline=2.0, concurrency=1, waiting=2))
        ):
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
