"""The toolset in an agent of Pydantic AI, whose model answers by a script."""

import json
from typing import Any

import pytest

from ricordo.client import MemoryClient
from ricordo.integrations.tool_table import TOOLS

pytest.importorskip("pydantic_ai", reason="make test-agents installs Pydantic AI")

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from ricordo.integrations.pydantic_ai import memory_toolset

WORDS = "My sister Nora lives in Dublin."
QUESTION = {"query": "Where does my sister live?"}


def results_of(messages: list[ModelMessage]) -> list[Any]:
    parts = [part for message in messages for part in message.parts]
    return [json.loads(part.content) for part in parts if isinstance(part, ToolReturnPart)]


async def test_an_agent_remembers_and_answers_for_its_user(memory: MemoryClient) -> None:
    offered: list[str] = []

    def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        offered[:] = [tool.name for tool in info.function_tools]
        calls = [
            ToolCallPart("remember", {"text": WORDS}),
            ToolCallPart("recall", QUESTION),
            ToolCallPart("facts", {"entity": "Nora", "user_id": "ugo"}),
        ]
        done = results_of(messages)
        return ModelResponse([calls[len(done)] if len(done) < len(calls) else TextPart("Done.")])

    agent = Agent(FunctionModel(script), toolsets=[memory_toolset(memory, "ada")])
    run = await agent.run(WORDS)
    remembered, recalled, refused = results_of(run.all_messages())
    assert run.output == "Done."
    assert sorted(offered) == sorted(TOOLS)
    assert remembered["state"] == "remembered"
    assert recalled["memories"][0]["text"] == f"<recalled>user: {WORDS}</recalled>"
    assert refused["error"].startswith("user_id: unknown; the arguments are entity, ")


async def test_arguments_made_from_the_schemas_are_accepted(memory: MemoryClient) -> None:
    """The library's own test model calls every tool, with arguments that it derives from the schemas."""
    names = ["remember", "recall", "context", "answer", "facts"]
    agent = Agent(TestModel(), toolsets=[memory_toolset(memory, "ada", names)])
    results = results_of((await agent.run("Try everything.")).all_messages())
    assert len(results) == len(names)
    assert [result["error"] for result in results if "error" in result] == []
