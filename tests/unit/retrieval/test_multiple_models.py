"""Memories of several embedding models: each is compared with its own model's vector of the question."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.support.manual_clock import ManualClock
from tests.support.memory_index import MemoryVectorIndex
from tests.support.models import FakeEncoder

from ricordo.index.port import Facets, Point
from ricordo.language.query_analysis import analyse
from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.bm25 import terms
from ricordo.memory.ranking.fusion import NO_MINIMUMS, merge_rankings
from ricordo.memory.ranking.signals import Signals
from ricordo_services.retrieval.search import Search
from ricordo_services.retrieval.search_request import SearchRequest

NEW, OLD = "new", "old"
LENGTHS: Final = {NEW: 32, OLD: 64}
NOW: Final = datetime(2026, 3, 12, tzinfo=UTC)
TEXTS: Final = ("my dog sleeps", "the dog eats", "rain for days", "a red car")


def encoders() -> dict[str, FakeEncoder]:
    return {model: FakeEncoder(ManualClock(), model, length) for model, length in LENGTHS.items()}


def points(texts: Mapping[int, str], encoder: FakeEncoder) -> list[Point]:
    """Return points of texts, their ids the keys."""
    return [
        Point(
            facets=Facets(
                id=UUID(int=number), user_id="u-1", conversation_id="c-1", type="", kind="", created_at=NOW
            ),
            text_vector=vector,
            window_vector=vector,
            text_terms=terms(text, "en"),
            window_terms=terms(text, "en"),
        )
        for (number, text), vector in zip(texts.items(), encoder.vectors(list(texts.values())), strict=True)
    ]


@pytest.fixture
async def index() -> MemoryVectorIndex:
    """Return an index: the memories 0 and 2 are of the new model, 1 and 3 of the old one."""
    index = MemoryVectorIndex()
    for place, (model, encoder) in enumerate(encoders().items()):
        await index.prepare(model, LENGTHS[model])
        texts = {number: text for number, text in enumerate(TEXTS) if number % 2 == place}
        await index.upsert("acme", model, points(texts, encoder))
    return index


def asked(text: str, *models: str) -> SearchRequest:
    return SearchRequest(
        user_id="u-1",
        text=text,
        lexical_text=text,
        now=NOW,
        analysis=analyse(text, now=NOW, zone=ZoneInfo("UTC"), language="en"),
        filters=None,
        vectors={model: encoders()[model].vectors([text])[0] for model in models},
        limit=5,
    )


async def test_each_is_found_by_the_vector_of_its_own_model(index: MemoryVectorIndex) -> None:
    search = Search(index, NEW, others=(OLD,))
    found = await search.find("acme", asked("my dog", NEW, OLD), NO_MINIMUMS)
    assert {one.int for one in found.hits} == {0, 1, 2, 3}
    assert {one.int: model for one, model in found.models.items()} == {0: NEW, 1: OLD, 2: NEW, 3: OLD}
    for number, model in ((0, NEW), (1, OLD)):
        cosine = np.dot(*encoders()[model].vectors(["my dog", TEXTS[number]]))
        assert found.hits[UUID(int=number)].dense == pytest.approx(cosine)


async def test_a_model_that_nobody_can_ask_is_searched_by_words(index: MemoryVectorIndex) -> None:
    search = Search(index, NEW, others=(OLD,))
    found = await search.find("acme", asked("my dog", NEW), NO_MINIMUMS)
    assert found.hits[UUID(int=1)].dense == 0
    assert found.hits[UUID(int=1)].bm25 > 0
    assert UUID(int=3) not in found.hits
    assert found.models[UUID(int=1)] == ""


def ranked(*scored: tuple[int, float]) -> list[Ranked]:
    return [Ranked(UUID(int=number), score, Signals(semantic=score)) for number, score in scored]


def test_rankings_are_merged_by_rank_and_the_scores_descend() -> None:
    both = merge_rankings([ranked((1, 0.9), (2, 0.8), (3, 0.1)), ranked((4, 0.5), (1, 0.2))], limit=4)
    assert [one.id.int for one in both] == [1, 4, 2, 3]
    assert [one.score for one in both] == [0.9, 0.8, 0.8, 0.1]
    assert both[0].signals.semantic == 0.9
    assert both[1].signals.semantic == 0.5
    assert merge_rankings([], limit=3) == []
