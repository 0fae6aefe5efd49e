"""Waiting until ingest has taken messages in, over a JetStream that is slow or away."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import cast

import nats.errors
import nats.js.errors
import pytest
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg

from ricordo.client import Timeout
from ricordo.messages.errors import DEAD_LETTER_REASON, DEAD_LETTER_SEQUENCE
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_IN
from ricordo_services.ingest_watch import IngestWatch

Answer = RawStreamMsg | Exception | None


class Streams:
    """Stands in for JetStream: answers by the scripts of streams, the last one for ever; None is silence."""

    def __init__(self, **scripts: list[Answer]) -> None:
        self.scripts = scripts

    async def get_msg(self, stream: str, seq: int, *, subject: str, next: bool) -> RawStreamMsg:  # noqa: A002
        script = self.scripts[stream]
        answer = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(answer, Exception):
            raise answer
        return answer or await asyncio.Future[RawStreamMsg]()


def watch(incoming: list[Answer], letters: list[Answer]) -> IngestWatch:
    streams = cast(JetStreamContext, Streams(**{STREAM_IN: incoming, STREAM_DEAD_LETTERS: letters}))
    return IngestWatch(streams, "acme", 0)


def held(sequence: int) -> RawStreamMsg:
    return RawStreamMsg(seq=sequence)


def letter(origin: int) -> RawStreamMsg:
    headers = {DEAD_LETTER_SEQUENCE: str(origin), DEAD_LETTER_REASON: "id_conflict: first wins"}
    return RawStreamMsg(seq=1, subject="dlq.ingest.memory.v1.acme.message.received", headers=headers)


NOTHING = nats.js.errors.NotFoundError


async def test_what_is_taken_out_is_taken_in_and_what_was_given_up_is_told() -> None:
    streams = watch([held(3), held(4), held(9), NOTHING()], [letter(4), NOTHING()])
    assert await streams.refusals({3, 4, 9}, 30) == {4: "id_conflict: first wins"}


async def test_what_was_given_up_early_is_told_when_it_is_asked_for() -> None:
    streams = watch([NOTHING()], [letter(2), letter(12), letter(13), NOTHING()])
    assert await streams.refusals({3}, 30) == {}
    assert (await streams.refusals({12, 14}, 30)).keys() == {12}
    assert await streams.refusals(set(), 30) == {}


async def test_a_deadline_ends_it_and_what_was_read_by_then_is_kept() -> None:
    streams = watch([held(3), NOTHING()], [letter(3), None, NOTHING()])
    for until in (0.0, asyncio.get_running_loop().time() + 0.5):
        with pytest.raises(Timeout):
            await streams.refusals({3}, 30, until=until)
    assert (await streams.refusals({3}, 30)).keys() == {3}


async def test_a_cancellation_that_is_dropped_for_a_reply_ends_the_wait() -> None:
    asked = asyncio.Event()

    class Dropping(Streams):
        async def get_msg(self, stream: str, seq: int, *, subject: str, next: bool) -> RawStreamMsg:  # noqa: A002
            asked.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Future[None]()
            return held(seq)

    streams = IngestWatch(cast(JetStreamContext, Dropping()), "acme", 0)
    waiting = asyncio.create_task(streams.refusals({3}, 30))
    await asked.wait()
    waiting.cancel()
    await asyncio.wait({waiting}, timeout=10)
    assert waiting.cancelled()


@pytest.mark.parametrize("trouble", [nats.errors.TimeoutError, nats.js.errors.ServiceUnavailableError])
async def test_trouble_that_passes_is_waited_out(trouble: Callable[[], Exception]) -> None:
    streams = watch([trouble(), held(3), trouble(), NOTHING()], [NOTHING()])
    assert await streams.refusals({3}, 30) == {}


@pytest.mark.parametrize(
    ("trouble", "why"),
    [
        (nats.errors.TimeoutError(), "JetStream did not tell what RICORDO_IN holds in time"),
        (nats.errors.ConnectionClosedError(), "RICORDO_IN cannot be read: nats: connection closed"),
        (ConnectionResetError(), "RICORDO_IN cannot be read: ConnectionResetError"),
    ],
)
async def test_trouble_that_stays_is_a_timeout_that_says_why(trouble: Exception, why: str) -> None:
    with pytest.raises(Timeout, match="2 of 2 messages were not taken in") as raised:
        await watch([trouble], [NOTHING()]).refusals({3, 4}, 0.05)
    assert f"({why})" in raised.value.message
