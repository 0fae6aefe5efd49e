"""Answers that a language model writes, in a whole system; while it is away the rules answer."""

import json
from collections.abc import Iterator
from typing import cast

import pytest
from nats.aio.client import Client
from tests.fixtures.ollama_stand_in import Body, OllamaStandIn
from tests.fixtures.ollama_system import model_server, with_llm
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, msg

from ricordo.client import MemoryClient
from ricordo.messages.ids import memory_id

pytestmark = pytest.mark.slow

MODEL = "hermes3:8b"
TRIP = "We took the night train to Vienna with Ada."
TRUE = "You took the night train to Vienna."
QUESTION = {"user_id": "u-1", "query": "Which train did we take to Vienna?", "reinforce": False}


def _answer(body: Body) -> str:
    """Cite the text that tells of the train, once for what it supports and once for what it does not."""
    (_, asked) = cast("list[dict[str, str]]", body["messages"])
    texts = json.loads(asked["content"])["texts"]
    (number,) = [one["number"] for one in texts if "night train" in one["text"]]
    sentences = [{"text": text, "evidence": [number]} for text in (TRUE, "You paid 400 euros to Bruno.")]
    return json.dumps({"sentences": sentences})


@pytest.fixture
def server() -> Iterator[OllamaStandIn]:
    with model_server(MODEL) as running:
        running.behaviour.chat = _answer
        yield running


async def _in_parts(client: Client, bot: Bot) -> list[Json]:
    streamed = MemoryClient.over(client, bot.tenant).answer_stream(**QUESTION)  # type: ignore[arg-type]
    return [one.model_dump(mode="json", exclude={"recall_id"}) async for one in streamed]


async def test_a_model_answers_from_the_memories_and_the_rules_while_it_is_away(
    client: Client, bot: Bot, system: System, server: OllamaStandIn
) -> None:
    async with system.restarted(with_llm(system.settings, server.url, MODEL, "answering")):
        await bot.remember(msg("m-1", TRIP), msg("m-2", "It was snowing when we arrived."))
        told = await bot.query("answer", **QUESTION)
        assert (told["answer"], told["by"], told["answered"]) == (TRUE, "llm", True)
        assert told["sources"] == [str(memory_id(bot.tenant, "m-1"))]
        del told["recall_id"]
        assert await _in_parts(client, bot) == [{"text": TRUE, "sources": told["sources"]}, told]
        server.behaviour.status = 500
        quoted = await bot.query("answer", **QUESTION)
        assert (quoted["by"], quoted["answered"], quoted["degraded"]) == ("rules", True, [])
        assert TRIP in quoted["answer"]
        part = {"text": quoted["answer"], "sources": quoted["sources"]}
        assert (await _in_parts(client, bot))[0] == part
