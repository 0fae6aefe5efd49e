"""A summary counts for more when what it marks is what the question is about."""

import json
from uuid import UUID

import pytest
from tests.unit.retrieval.test_signals import standing

from ricordo.testing.clock import ManualClock
from ricordo.testing.models import FakeEncoder
from ricordo_services.retrieval.key_topics import KeyTopics


async def test_a_marked_topic_that_is_asked_for_boosts_its_summary() -> None:
    encoder = FakeEncoder(ManualClock(), "fake", 64)
    (vector,) = await encoder.encode(["tomatoes"])
    marked = json.dumps([{"topic": "tomatoes", "importance": "high", "user_emotion": "joy"}])
    other = json.dumps([{"topic": "kayak", "importance": "high", "user_emotion": "joy"}])
    summaries = [
        standing(1)._replace(key_topics=marked),
        standing(2)._replace(key_topics=other),
        standing(3),
    ]
    boosts = await KeyTopics(encoder).boosts(summaries, vector)
    assert boosts == {UUID(int=1): 1.5, UUID(int=2): 1.0}
    assert await KeyTopics(encoder).boosts(summaries, None) == {}
    assert await KeyTopics(encoder).boosts([standing(3)], vector) == {}


async def test_without_a_model_nothing_is_boosted() -> None:
    encoder = FakeEncoder(ManualClock(), "fake", 64)
    (vector,) = await encoder.encode(["tomatoes"])
    marked = standing(1)._replace(key_topics=json.dumps([{"topic": "tomatoes", "importance": "high"}]))
    encoder.available = False
    assert await KeyTopics(encoder).boosts([marked], vector) == {}


@pytest.mark.parametrize("importance", ["medium", "low"])
async def test_what_matters_less_boosts_less(importance: str) -> None:
    encoder = FakeEncoder(ManualClock(), "fake", 64)
    (vector,) = await encoder.encode(["tomatoes"])
    marked = standing(1)._replace(key_topics=json.dumps([{"topic": "tomatoes", "importance": importance}]))
    boosts = await KeyTopics(encoder).boosts([marked], vector)
    assert boosts == {UUID(int=1): {"medium": 1.2, "low": 1.0}[importance]}
