"""The benchmark of the embedding batcher: its arrivals, its encoders, and figures that belong together."""

import time
from itertools import islice
from typing import Final

import numpy as np
import pytest

from ricordo.settings import EmbeddingSettings
from ricordo.system_clock import SystemClock
from ricordo.testing.models import FakeEncoder
from ricordo_lab.bench.arrivals import (
    FixedRateEncoder,
    TimedEncoder,
    at_fixed_rate,
    distinct_texts,
    poisson,
    send,
)
from ricordo_lab.bench.batcher import acceptance, overhead
from ricordo_services.app.embedding_models import Models

SETTINGS: Final = EmbeddingSettings()


class Words:
    """Counts words where a model would count tokens."""

    def count(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def models() -> Models:
    encoder = FakeEncoder(SystemClock(), latency=0.01)
    return Models(encoder, encoder, None, Words(), "fp32")


def test_arrivals_come_at_their_rate_evenly_or_poisson() -> None:
    assert list(islice(at_fixed_rate(4), 3)) == [0, 0.25, 0.5]
    chance, again, other = (list(islice(poisson(50, seed), 5000)) for seed in (1, 1, 2))
    assert chance == again != other
    assert chance == sorted(chance)
    assert 45 < len(chance) / chance[-1] < 55
    gaps = np.diff(chance)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.1)  # as of a Poisson process, and no other


def test_distinct_texts_are_all_distinct_texts() -> None:
    assert len(set(distinct_texts(1, 3000))) == 3000


async def test_each_text_arrives_once_and_in_order() -> None:
    taken: list[str] = []

    async def take(text: str) -> None:
        taken.append(text)

    spoken = distinct_texts(1, 20)
    for task in await send(spoken, at_fixed_rate(1000), take):
        await task
    assert taken == list(spoken)


async def test_the_encoder_of_a_fixed_rate_never_does_more_than_its_rate() -> None:
    steady, began = FixedRateEncoder(1000), time.perf_counter()
    vectors = await steady.encode(["a"] * 20)
    await steady.encode(["b"] * 30)
    assert time.perf_counter() - began >= 0.049
    assert (steady.done, steady.inside) == (50, 0)
    assert vectors.shape == (20, steady.dimensions)


async def test_the_timed_encoder_knows_how_long_each_request_took(models: Models) -> None:
    watched = TimedEncoder(models.batch)
    await watched.encode(["a", "b"])
    assert watched.seconds["a"] == watched.seconds["b"] > 0
    assert watched.requests == 1


async def test_overhead_is_what_is_left_without_the_model(models: Models) -> None:
    found = await overhead(models, SETTINGS, seconds=0.1, run=1)
    assert 0 <= found["overhead_p50_ms"] <= found["overhead_p95_ms"] <= found["latency_p95_ms"]
    assert found["texts_per_second_submitted"] == pytest.approx(
        found["texts_per_second_of_the_model"] / 2, rel=0.01
    )


async def test_the_bucket_of_a_server_bounds_the_load(models: Models) -> None:
    limited = SETTINGS.model_copy(update={"provider": "ollama", "requests_per_s": 5, "batch": 4})
    found = await overhead(models, limited, seconds=0.2, run=1)
    assert found["texts_per_second_of_the_model"] == 20


@pytest.mark.parametrize("room", [300, 64])
async def test_what_is_submitted_is_accepted_or_waits_and_all_is_answered(models: Models, room: int) -> None:
    found = await acceptance(models, SETTINGS, seconds=0.3, queue=room)
    assert int(str(found["queued_at_the_end"])) <= room
    assert found["callers_waiting_at_the_end"] == 0 or room < 300
    assert found["answered"] == found["submitted"] == 300
