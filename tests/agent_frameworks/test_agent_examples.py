"""The examples of `docs/agents.md`, as they stand there, with models that answer by a script."""

import asyncio

import pytest
from tests.fixtures.documents import ROOT, blocks_of
from tests.fixtures.system import System

pytest.importorskip("langgraph", reason="make test-agents installs the frameworks")

from agents import set_tracing_disabled
from pydantic_ai.models.test import TestModel
from tests.agent_frameworks.scripted_model import ScriptedModel

EXAMPLES = {
    block.notes[0]: block.text for block in blocks_of(ROOT / "docs/agents.md") if block.language == "python"
}
WORDS = "My sister Nora lives in Lisbon."
SHOWN = f"<recalled>user: {WORDS}</recalled>"


def openai_model() -> object:
    set_tracing_disabled(True)
    return ScriptedModel(("remember", {"text": WORDS}), ("recall", {"query": "Where does my sister live?"}))


SCRIPTED = {
    "openai-agents": ("gpt-5-mini", openai_model, SHOWN),
    "pydantic-ai": ("openai:gpt-5-mini", TestModel, '"state":"remembered"'),
    "langgraph": ("", object, f"[{WORDS!r}]"),
}
"""By example, the name of the model in it, what makes the one that takes its place, and what is printed."""


@pytest.mark.parametrize("example", SCRIPTED)
async def test_an_example_runs(
    example: str, system: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named, model, shown = SCRIPTED[example]
    text = EXAMPLES[example].replace(f'"{named}"', "MODEL")
    monkeypatch.setenv("RICORDO_NATS_URL", system.endpoints.nats_url)
    program = compile(text, example, "exec")
    await asyncio.to_thread(exec, program, {"MODEL": model(), "__name__": "example"})
    assert shown in capsys.readouterr().out.replace("\\", "")


def test_every_example_is_run() -> None:
    # The bot that reads by a model of its own is run by the tests of the documents.
    assert set(EXAMPLES) == {*SCRIPTED, "run", "reading_bot.py"}
