"""Weights are loaded by who encodes, and by nobody else."""

import asyncio
from pathlib import Path

import pytest
from tests.fixtures.ollama_stand_in import ollama_stand_in
from tests.fixtures.system import Workers
from tests.integration.models.conftest import Shipped

from ricordo.language.annotations import E5
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.onnx import onnx_encoder
from ricordo.models.onnx.e5_checkpoint import CheckpointMissing
from ricordo.settings import EmbeddingSettings, Settings
from ricordo_services.app import jobs, worker_process
from ricordo_services.app.embedding_models import Models, model_names, open_former, open_models
from ricordo_services.stack.endpoints import Endpoints, local_settings


class Loaded(Exception):
    """Somebody has asked for the weights."""


def _refuse(*_: object) -> None:
    raise Loaded


@pytest.fixture
def settings(stack: Endpoints, tmp_path: Path) -> Settings:
    """Give a vector index of its own: other tests' workers may have the stack's open."""
    settings = local_settings(stack, Settings())
    stores = settings.stores.model_copy(update={"qdrant_dir": tmp_path})
    return settings.model_copy(update={"stores": stores})


async def test_workers_that_do_not_encode_load_no_weights(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await jobs.prepare(settings)
    monkeypatch.setattr(onnx_encoder, "load_network", _refuse)
    workers = Workers(settings, ["ingest", "enrichment", "index", "knowledge", "lifecycle"])
    try:
        await asyncio.to_thread(workers.start)
    finally:
        await asyncio.to_thread(workers.close)


@pytest.mark.parametrize("name", ["encode", "retrieval"])
async def test_one_that_does_loads_them(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    await jobs.prepare(settings)
    monkeypatch.setattr(onnx_encoder, "load_network", _refuse)
    stopping = asyncio.Event()
    with pytest.raises(Loaded):
        await worker_process.run_workers(settings, [name], stopping=stopping)


OLLAMA = EmbeddingSettings(
    provider="ollama", model="paraphrase-multilingual", ollama_url="http://127.0.0.1:1"
)


async def test_a_model_that_is_served_elsewhere_needs_none_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_encoder, "load_network", _refuse)
    async with open_models(OLLAMA) as models:
        assert (models.name, models.batch.dimensions, models.fallback) == (OLLAMA.model, 768, None)
        assert models.tokens.count("one two three") == 3


async def test_a_model_here_stands_in_for_one_elsewhere() -> None:
    settings = OLLAMA.model_copy(update={"fallback": E5})
    async with open_models(settings) as models:
        assert models.fallback is not None
        assert model_names(settings) == (models.batch.model, models.fallback.model)
        assert (await models.fallback.encode(["here"])).shape == (1, models.fallback.dimensions)


def test_in_process_there_is_one_model() -> None:
    assert model_names(EmbeddingSettings()) == (E5,)


async def _not_installed() -> Models:
    raise CheckpointMissing("it is not installed")


async def test_a_former_model_encodes_questions_where_it_is_at_hand(shipped: Shipped) -> None:
    async with ollama_stand_in(["all-minilm:latest"]) as server:
        served = OLLAMA.model_copy(update={"ollama_url": server.url})

        async def here() -> Models:
            return shipped.models

        async with open_former(served, "all-minilm", 384, here) as encoder:
            assert encoder is not None
            assert (await encoder.encode(["where is my boat?"])).shape == (1, 384)
        async with open_former(served, E5, 384, here) as encoder:
            assert encoder is shipped.models.query


async def test_for_a_former_model_nothing_is_fetched() -> None:
    async with ollama_stand_in() as server:
        served = OLLAMA.model_copy(update={"ollama_url": server.url})
        async with open_former(served, "all-minilm", 384, _not_installed) as encoder:
            assert encoder is None
        assert "/api/pull" not in {path for path, _ in server.requests}
    async with open_former(
        served, "all-minilm", 384, _not_installed
    ) as encoder:  # away, so that nobody knows
        assert encoder is not None
        with pytest.raises(ModelUnavailable):
            await encoder.encode(["my boat"])
    for settings, model in ((OLLAMA, E5), (EmbeddingSettings(), "all-MiniLM-L6-v2")):
        async with open_former(settings, model, 384, _not_installed) as encoder:
            assert encoder is None
