"""The rate limiter, and what the embedding batcher tells of itself."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.fixtures.encoded import models
from tests.fixtures.loop_time import run_by
from tests.fixtures.scraping import Scraped, scraped
from tests.support.manual_clock import ManualClock
from tests.support.models import FakeEncoder

from ricordo.models.batcher import BatchLimits, EmbeddingBatcher
from ricordo.models.throttle import Throttle
from ricordo.resilience import evenly_spaced
from ricordo.runtime.metrics import Metrics


def test_requests_of_replicas_are_spread_over_the_period_and_none_is_saved_up() -> None:
    clock, asked = ManualClock(), list[float]()

    async def ask() -> None:
        asked.append(clock.monotonic())

    async def live() -> None:
        throttle = Throttle(clock, limiter=evenly_spaced(4, 2))
        await clock.advance(60)
        start = clock.monotonic()
        each = [asyncio.create_task(throttle.run(ask, throttle.deadline())) for _ in range(4)]
        await clock.advance(10)
        await asyncio.gather(*each)
        assert [at - start for at in asked] == pytest.approx([0, 0.5, 1, 1.5])

    run_by(clock, live())


@pytest.fixture
async def batcher(model: FakeEncoder, clock: ManualClock) -> AsyncIterator[EmbeddingBatcher]:
    async with EmbeddingBatcher(model, clock, limits=BatchLimits(in_flight=1)) as opened:
        yield opened


def scrape_batcher(batcher: EmbeddingBatcher) -> Scraped:
    metrics = Metrics("0")
    metrics.add_batcher(batcher)
    return scraped(metrics)


def state(found: Scraped, model: str = "fake") -> list[str]:
    values = found.values("ricordo_embedding_breaker_state", model=model)
    assert len(values) == 3
    return [dict(labels)["state"] for labels, value in values.items() if value]


def requests(found: Scraped, model: str = "fake") -> dict[tuple[str, str], float]:
    """Return the requests that there were, by kind and outcome."""
    values = found.values("ricordo_embedding_requests_total", model=model)
    by_labels = {(dict(key)["kind"], dict(key)["outcome"]): value for key, value in values.items()}
    assert len(by_labels) == 4
    return {key: value for key, value in by_labels.items() if value}


async def test_texts_requests_and_waits_are_measured(batcher: EmbeddingBatcher, clock: ManualClock) -> None:
    call = asyncio.create_task(batcher.encode([f"text {n}" for n in range(40)]))
    await clock.advance(0.05)
    amid = scrape_batcher(batcher)
    assert amid.value("ricordo_embedding_waiting_texts") == 8
    assert amid.value("ricordo_embedding_in_flight_requests") == 1
    assert requests(amid) == {}
    await clock.advance(1)
    await call
    found = scrape_batcher(batcher)
    assert requests(found) == {("regular", "ok"): 2}
    assert found.value("ricordo_embedding_encoded_texts_total", model="fake", role="primary") == 40
    assert found.within("ricordo_embedding_request_texts") == {32: 1, 8: 1}
    assert found.within("ricordo_embedding_request_duration_seconds") == {0.1: 2}
    # The first request is full at once; the second waits until the only lane is free, for 0.1 s.
    assert found.within("ricordo_embedding_wait_seconds") == {0.01: 32, 0.1: 8}
    assert found.value("ricordo_embedding_waiting_texts") == 0
    assert batcher.encoded == 40


async def test_an_outage_shows_in_breaker_waits_and_trials(
    batcher: EmbeddingBatcher, model: FakeEncoder, clock: ManualClock
) -> None:
    model.available = False
    call = asyncio.create_task(batcher.encode(["hello"]))
    await clock.advance(2)
    away = scrape_batcher(batcher)
    assert state(away) == ["open"]
    assert requests(away) == {("regular", "failed"): 3, ("probe", "failed"): 3}
    assert away.value("ricordo_embedding_down_seconds") > 1
    assert away.value("ricordo_embedding_waiting_texts") == 1
    assert away.value("ricordo_embedding_encoded_texts_total") == 0
    await clock.advance(15)
    assert requests(scrape_batcher(batcher)) == {("regular", "failed"): 3, ("probe", "failed"): 4}
    model.available = True
    await clock.advance(16)
    await call
    back = scrape_batcher(batcher)
    assert state(back) == ["closed"]
    assert requests(back)["probe", "ok"] == requests(back)["regular", "ok"] == 1
    assert back.value("ricordo_embedding_down_seconds") == 0
    assert back.value("ricordo_embedding_encoded_texts_total") == 1  # a trial's text is nobody's
    assert back.within("ricordo_embedding_request_texts") == {1: 4}
    waits = back.within("ricordo_embedding_wait_seconds")
    assert (sum(waits.values()), waits[60]) == (
        4,
        1,
    )  # the last one went out half a minute after its text came


async def test_what_the_fallback_does_is_told_apart(model: FakeEncoder, clock: ManualClock) -> None:
    spare = FakeEncoder(clock, model="spare", dimensions=16)
    limits = BatchLimits(fallback_after=20)
    async with EmbeddingBatcher(model, clock, fallback=spare, limits=limits) as batcher:
        model.available = False
        call = asyncio.create_task(batcher.encode(["hello"]))
        await clock.advance(25)
        assert models(await call) == ["spare"]
        found = scrape_batcher(batcher)
    assert requests(found, "spare") == {("regular", "ok"): 1}
    assert state(found, "spare") == ["closed"]
    encoded = "ricordo_embedding_encoded_texts_total"
    assert found.value(encoded, model="spare", role="fallback") == 1
    assert found.value(encoded, model="fake", role="primary") == 0
    assert found.value("ricordo_embedding_down_seconds", role="primary") > 20
    assert found.value("ricordo_embedding_down_seconds", role="fallback") == 0
