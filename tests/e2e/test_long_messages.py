"""A message that is longer than the embedding model's window: its beginning has a vector, all of it words."""

from typing import Final

import pytest
from nats.aio.client import Client
from tests.fixtures.running import Running
from tests.fixtures.served import health, restarted, served, stand_in
from tests.fixtures.wire import Bot, ids, said

pytestmark = pytest.mark.e2e

BEGINNING: Final = "My boat lies at the pier in Chioggia. "
END: Final = " At the very end I planted a magnolia."
FILLING: Final = "Then the ordinary day went on with rows of numbers and columns of sums. "
MOST: Final = 32_768
OTHERS: Final = tuple(said(f"other-{n}", f"We talked about lunch for {n} minutes.") for n in range(5))


def longest(beginning: str, end: str) -> str:
    room = MOST - len(beginning) - len(end)
    return beginning + (FILLING * (room // len(FILLING) + 1))[:room] + end


async def truncated(wire: Client) -> int:
    return int((await health(wire, "encode"))["truncated"])


async def test_the_longest_message_is_found_by_its_beginning_and_by_its_end(bot: Bot, wire: Client) -> None:
    before = await truncated(wire)
    text = longest(BEGINNING, END)
    assert len(text) == MOST
    await bot.remember(said("long", text), *OTHERS)
    assert await truncated(wire) == before + 1
    beginning = (await bot.recall("Where is the boat?", explain=True))["memories"]
    assert ids(beginning)[0] == "long"
    assert beginning[0]["signals"]["semantic"] > 0.2
    end = (await bot.recall("magnolia", explain=True))["memories"]
    assert ids(end)[0] == "long"
    assert end[0]["signals"]["bm25"] > 0
    assert end[0]["content"].endswith("magnolia.")


async def test_what_a_server_truncates_it_truncates_without_a_word(
    bot: Bot, wire: Client, running: Running
) -> None:
    with stand_in("all-minilm:latest") as server:
        async with restarted(running, served(running, server)):
            await bot.remember(said("long", longest(BEGINNING, END)))
            sent = [body for path, body in server.requests if path == "/api/embed"]
            assert any(len(str(body["input"])) > MOST for body in sent), "the whole text, for it to truncate"
            assert "truncated" not in await health(wire, "encode")
            assert ids((await bot.recall("magnolia"))["memories"]) == ["long"]
