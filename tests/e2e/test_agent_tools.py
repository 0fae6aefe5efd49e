"""The table of tools for agents on the running system: what a program does with the calls of a model."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json

from ricordo.client import MemoryClient
from ricordo.integrations.tool_table import memory_tools

Call = Callable[..., Awaitable[Json]]
WORDS = "My sister Nora lives in Dublin."
SHOWN = f"<recalled>user: {WORDS}</recalled>"


@pytest.fixture
async def memory(system: System, bot: Bot) -> AsyncIterator[MemoryClient]:
    async with MemoryClient.connect(system.endpoints.nats_url, bot.tenant) as memory:
        yield memory


def calls_of(memory: MemoryClient, user: str) -> Call:
    tools = {tool.name: tool for tool in memory_tools(memory, user)}

    async def call(name: str, **arguments: object) -> Json:
        result = json.loads(await tools[name].call(arguments))
        assert isinstance(result, dict)
        return result

    return call


async def test_every_tool_does_its_work_for_one_user(memory: MemoryClient) -> None:
    ada, ugo = calls_of(memory, "ada"), calls_of(memory, "ugo")
    done = await ada("remember", text=WORDS)
    assert (done["state"], done["repeated"]) == ("remembered", False)
    assert (await ada("remember", text=WORDS))["repeated"]
    question = {"query": "Where does my sister live?"}
    (found,) = (await ada("recall", **question))["memories"]
    assert (found["id"], found["text"]) == (done["memory_id"], SHOWN)
    context = (await ada("context", token_budget=300, **question))["context"]
    assert context.count("<recalled>") == 1
    assert "Nora lives in Dublin" in context
    answer = await ada("answer", style="full", **question)
    assert answer["answered"]
    assert answer["answer"].startswith("<recalled>")
    facts = (await ada("facts", entity="Nora"))["facts"]
    assert "<recalled>Nora lives in Dublin</recalled>" in [fact["text"] for fact in facts]
    fact = {
        "subject": "Nora",
        "predicate": "lives_with",
        "object": "two cats",
        "message_id": done["message_id"],
    }
    refused = await ada("remember_fact", **fact)
    assert (refused["accepted"], "no sentence" in refused["reason"]) == (False, True)
    own = await ada("remember_fact", predicate="plays", object="chess")
    assert own["fact_id"] in [fact["id"] for fact in (await ada("facts", predicate="plays"))["facts"]]
    assert (await ada("recall", people=["Ugo"], **question))["memories"] == []
    assert len((await ada("recall", people=["nora"], types=["semantic"], **question))["memories"]) <= 1
    assert len((await ada("timeline", start="2026-01-01T00:00:00Z"))["memories"]) == 1
    assert (await ugo("recall", **question))["memories"] == []
    for refused in (
        await ugo("forget", id=done["memory_id"]),
        await ugo("correct", memory_id=done["memory_id"], text="My sister Nora lives in Rome."),
    ):
        assert "no memory" in refused["error"]
    await ada("correct", memory_id=done["memory_id"], text="My sister Nora lives in Cork.")
    assert "Cork" in (await ada("recall", **question))["memories"][0]["text"]
    assert (await ugo("forget", id=done["message_id"]))["erased"]["rows"] == 0
    assert (await ada("forget", id=done["message_id"]))["erased"]["rows"] > 0
    assert (await ada("recall", **question))["memories"] == []
