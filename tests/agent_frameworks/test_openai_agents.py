"""The tools in an agent of the OpenAI Agents SDK, whose model answers by a script."""

import json

import pytest

from ricordo.client import MemoryClient
from ricordo.integrations.tool_table import TOOLS

pytest.importorskip("agents", reason="make test-agents installs the OpenAI Agents SDK")

from agents import Agent, Runner, set_tracing_disabled
from tests.agent_frameworks.scripted_model import ScriptedModel

from ricordo.integrations.openai_agents import memory_tools

WORDS = "My sister Nora lives in Dublin."


@pytest.fixture(autouse=True)
def _untraced() -> None:
    set_tracing_disabled(True)


async def test_an_agent_remembers_recalls_and_forgets_for_its_user(memory: MemoryClient) -> None:
    question = {"query": "Where does my sister live?"}
    asked = {"query": "Where does Nora live?"}
    model = ScriptedModel(("remember", {"text": WORDS}), ("recall", question), ("answer", asked))
    agent = Agent(name="Assistant", model=model, tools=memory_tools(memory, "ada"))
    run = await Runner.run(agent, WORDS)
    remembered, recalled, answered = model.results
    assert [tool.name for tool in model.offered] == list(TOOLS)
    assert recalled["memories"][0]["text"] == f"<recalled>user: {WORDS}</recalled>"
    assert "Dublin" in answered["answer"], answered
    assert json.loads(run.final_output) == answered
    for user, rows in (("ugo", 0), ("ada", 1)):
        other = ScriptedModel(("forget", {"id": remembered["message_id"]}), ("recall", question))
        await Runner.run(Agent(name="Other", model=other, tools=memory_tools(memory, user)), "Forget it.")
        erased, left = other.results
        assert (erased["erased"]["rows"] > 0, left["memories"]) == (rows > 0, [])


async def test_wrong_arguments_reach_the_model_as_a_sentence(memory: MemoryClient) -> None:
    model = ScriptedModel(("recall", {"query": "dog", "user_id": "ugo"}))
    await Runner.run(Agent(name="Assistant", model=model, tools=memory_tools(memory, "ada", ["recall"])), "?")
    [refused] = model.results
    assert refused["error"].startswith("user_id: unknown; the arguments are query, ")
    assert [tool.name for tool in model.offered] == ["recall"]
