"""The benchmark of the embedding batcher: its arrivals, its stand-ins, and figures that belong together."""

import time
from itertools import islice
from typing import Final

import httpx
import numpy as np
import pytest

from ricordo.settings import EmbeddingSettings
from ricordo.system_clock import SystemClock
from ricordo.testing.models import FakeEncoder
from ricordo_lab.bench.acceptance import acceptance
from ricordo_lab.bench.arrivals import arrive, by_chance, different, loop_watched, steadily
from ricordo_lab.bench.comparison import comparison
from ricordo_lab.bench.encoders import Steady, Watched
from ricordo_lab.bench.overhead import overhead
from ricordo_lab.bench.stand_in import MODEL, stand_in
from ricordo_services.app.embedding_models import Models, open_models

SETTINGS: Final = EmbeddingSettings()


class Words:
    """Counts words where a model would count tokens."""

    def count(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def models() -> Models:
    encoder = FakeEncoder(SystemClock(), latency=0.01)
    return Models(encoder, encoder, None, Words(), "fp32")


def test_arrivals_come_at_their_rate_evenly_or_by_chance() -> None:
    assert list(islice(steadily(4), 3)) == [0, 0.25, 0.5]
    chance, again, other = (list(islice(by_chance(50, seed), 5000)) for seed in (1, 1, 2))
    assert chance == again != other
    assert chance == sorted(chance)
    assert 45 < len(chance) / chance[-1] < 55
    gaps = np.diff(chance)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.1)  # as of a Poisson process, and no other


def test_texts_to_hand_in_are_all_different() -> None:
    assert len(set(different(1, 3000))) == 3000


async def test_each_text_arrives_once_and_in_order() -> None:
    taken: list[str] = []

    async def take(text: str) -> None:
        taken.append(text)

    spoken = different(1, 20)
    async with loop_watched() as lateness:
        for task in await arrive(spoken, steadily(1000), take):
            await task
    assert taken == list(spoken)
    assert max(lateness.seconds) >= 0


async def test_the_steady_encoder_never_does_more_than_its_rate() -> None:
    steady, began = Steady(1000), time.perf_counter()
    vectors = await steady.encode(["a"] * 20)
    await steady.encode(["b"] * 30)
    assert time.perf_counter() - began >= 0.049
    assert (steady.done, steady.inside) == (50, 0)
    assert vectors.shape == (20, steady.dimensions)


async def test_the_watched_encoder_knows_how_long_each_request_took(models: Models) -> None:
    watched = Watched(models.batch)
    await watched.encode(["a", "b"])
    assert watched.seconds["a"] == watched.seconds["b"] > 0
    assert watched.requests == 1


async def test_overhead_is_what_is_left_without_the_model(models: Models) -> None:
    found = await overhead(models, SETTINGS, seconds=0.1, run=1)
    assert 0 <= found["overhead_p50_ms"] <= found["overhead_p95_ms"] <= found["latency_p95_ms"]
    assert found["texts_per_second_handed_in"] == pytest.approx(
        found["texts_per_second_of_the_model"] / 2, rel=0.01
    )


async def test_the_bucket_of_a_server_bounds_the_load(models: Models) -> None:
    limited = SETTINGS.model_copy(update={"provider": "ollama", "requests_per_s": 5, "batch": 4})
    found = await overhead(models, limited, seconds=0.2, run=1)
    assert found["texts_per_second_of_the_model"] == 20


@pytest.mark.parametrize("room", [300, 64])
async def test_what_is_handed_in_is_accepted_or_waits_and_all_is_answered(models: Models, room: int) -> None:
    found = await acceptance(models, SETTINGS, seconds=0.3, queue=room)
    queued, waiting, answered = (found[name] for name in ("queued", "callers_waiting_at_the_end", "answered"))
    assert isinstance(queued, list)
    assert isinstance(waiting, int)
    assert max(queued) <= room
    assert (waiting == 0) or room < 300
    assert answered == found["handed_in"] == 300
    assert float(str(found["loop_late_max_ms"])) >= float(str(found["loop_late_p99_ms"]))


@pytest.mark.parametrize("limited", [False, True])
async def test_both_ways_send_as_many_requests_under_the_same_limits(*, limited: bool) -> None:
    async with stand_in(0.01) as url:
        served = SETTINGS.model_copy(
            update={"provider": "ollama", "model": MODEL, "ollama_url": url, "requests_per_s": 50}
        )
        async with open_models(served) as models:
            found = await comparison(models, served, limited=limited, requests=8)
    assert found["requests"] == [8, 8]
    assert found["texts_per_request"] == 32
    assert found["requests_per_second"] == (50 if limited else None)
    assert float(str(found["ratio_to_one_by_one"])) > 1


async def test_the_stand_in_answers_as_the_server_would() -> None:
    async with stand_in(0.0) as url:
        served = SETTINGS.model_copy(update={"provider": "ollama", "model": MODEL, "ollama_url": url})
        async with open_models(served) as models:
            vectors = await models.batch.encode(["one", "two", "three"])
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"{url}/api/nothing")).status_code == 404
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
