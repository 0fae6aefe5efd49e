"""The server of queries and commands: every request gets an answer, and the right one."""

import asyncio
from uuid import UUID

import pytest
from tests.fixtures.query_desk import ASKED, STATS, STATS_REPLY, Desk

from ricordo.bus.port import BusUnavailable
from ricordo.graph.graph_model import GraphUnavailable
from ricordo.messages.errors import ErrorCode
from ricordo.messages.events import MemoryAccessed
from ricordo.messages.ids import derived_id
from ricordo.messages.message_types import REPLY_MAX_BYTES, Message
from ricordo.messages.queries import StatsReply, StatsRequest
from ricordo.messages.subjects import STREAM_DERIVED
from ricordo.runtime.handling import QueryResult, QueryRoute
from ricordo.runtime.query_server import QueryServer
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
        accessed = MemoryAccessed(user_id="u-1", recall_id=cause, memory_ids=(UUID(int=9),))

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
            accessed = MemoryAccessed(user_id="u-1", recall_id=UUID(int=7), memory_ids=(UUID(int=9),))
            return QueryResult(STATS_REPLY, events=(accessed,))

        async with desk.open(desk.server(handler)):
            assert (await desk.ask())[0]["memories"] == 3


class TestErrors:
    @pytest.mark.parametrize(
        ("subject", "body", "expected"),
        [
            (STATS, b"{", ("invalid_request", None)),
            (STATS, b"", ("invalid_request", None)),
            (STATS, b"[]", ("invalid_request", None)),
            (STATS, b"{}", ("invalid_request", "user_id")),
            (STATS, b'{"user_id": "with space"}', ("invalid_request", "user_id")),
            ("memory.v1.ACME.query.stats", ASKED, ("invalid_request", None)),
            ("memory.v1.acme.query.stats.more", ASKED, ("invalid_request", None)),
            ("memory.v1.acme.query.nonsense", ASKED, ("not_found", None)),
            (
                "memory.v1.acme.query.working",
                b'{"user_id": "u-1", "conversation_id": "c-1"}',
                ("unavailable", None),
            ),
            ("memory.v1.acme.query.working", ASKED, ("invalid_request", "conversation_id")),
        ],
    )
    async def test_bad_requests_get_a_precise_error(
        self, subject: str, body: bytes, expected: tuple[str, str | None]
    ) -> None:
        desk = Desk()
        async with desk.open(desk.server()):
            code, message, field = await error(desk, subject, body)
        assert (code, field) == expected
        assert message

    @pytest.mark.parametrize(
        ("raised", "said"),
        [
            (StoreUnavailable, "PostgreSQL is away: try again"),
            (GraphUnavailable, "the graph is away: try again"),
        ],
    )
    async def test_an_unavailable_server_is_named(
        self, raised: type[DependencyUnavailable], said: str
    ) -> None:
        async def handler(_: str, __: StatsRequest) -> Message:
            raise raised("for reasons of its own")

        desk = Desk()
        async with desk.open(desk.server(handler)):
            assert await error(desk) == ("unavailable", said, None)

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

        async with desk.open(desk.server(handler, deadline=0.05)):
            assert (await error(desk))[0] == "timeout"

    async def test_names_that_another_server_answers_are_left_to_it(self) -> None:
        desk = Desk()

        async def other(_: str, __: StatsRequest) -> Message:
            return StatsReply(memories=7)

        every = QueryServer(
            name="every",
            kind="query",
            routes={},
            bus=desk.bus,
            clock=desk.clock,
            excluded=("query.stats",),
        )
        one = QueryServer(
            name="one",
            kind="query",
            routes={"query.stats": QueryRoute(handler=other)},
            bus=desk.bus,
            clock=desk.clock,
            exclusive=True,
        )
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
