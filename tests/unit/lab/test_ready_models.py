"""A measurement begins when the embedding model is there, and ends in a sentence where it never is."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial

import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.ollama_stand_in import ollama_stand_in

from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.embedding_bench import ready_models
from ricordo_lab.console import MeasurementFailed

MODEL = "all-minilm"


def served(url: str) -> EmbeddingSettings:
    return EmbeddingSettings(provider="ollama", model=MODEL, ollama_url=url)


async def test_what_is_waited_for_is_told_and_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    told = ""

    async def says(what: str) -> bool:
        nonlocal told
        told += capsys.readouterr().err
        return what in told

    async with ollama_stand_in() as server, AsyncExitStack() as exits:
        server.behaviour.pull_stands_at = 42
        opening = asyncio.create_task(exits.enter_async_context(ready_models(served(server.url))))
        await eventually(partial(says, "it is being pulled, 42 %"), within=20)
        server.behaviour.pull_stands_at = None
        await opening
    assert told.splitlines()[0] == f"ricordo: waiting for {MODEL} at {server.url}"


async def test_a_server_that_hangs_ends_it_soon(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ricordo.models.ollama.ollama_server._LIST_TIMEOUT_S", 1.5)
    async with ollama_stand_in([f"{MODEL}:latest"]) as server:
        server.behaviour.hang = True
        for model in (MODEL, "never-heard-of"):
            hangs = rf"{model} did not answer within 1.5 s at {server.url}; nothing was measured: run"
            with pytest.raises(MeasurementFailed, match=hangs):
                async with ready_models(served(server.url).model_copy(update={"model": model})):
                    pass
            assert capsys.readouterr().err == f"ricordo: waiting for {model} at {server.url}\n"
        assert {path for path, _ in server.requests} == {"/api/tags"}


async def test_a_model_that_cannot_be_had_ends_it_in_a_sentence() -> None:
    async with ollama_stand_in() as server:
        server.behaviour.pull_error = "pull model manifest: file does not exist"
        with pytest.raises(MeasurementFailed, match=r"does not have all-minilm.*file does not exist"):
            async with ready_models(served(server.url)):
                pass
