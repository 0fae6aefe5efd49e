"""Signals of ranking: scores of the index, rows, key topics, and the evidence around each memory."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_formulas import MemoryStrength, reinforce
from tests.support.factories import recall_plan
from tests.support.manual_clock import ManualClock
from tests.support.models import FakeEncoder

from ricordo.index.port import Hit
from ricordo.language.annotations import EventTime
from ricordo.language.query_analysis.query_parser import analyse
from ricordo.memory.ranking import load_profiles, rank
from ricordo.memory.ranking.signals import NEARNESS, Signals
from ricordo.store.recall_queries import RankingRow
from ricordo_services.retrieval.recall_material import key_topic_boosts
from ricordo_services.retrieval.search import MemoryCandidate, SearchResult
from ricordo_services.retrieval.signals import Columns, build_signals

NOW = datetime(2026, 3, 12, 12, tzinfo=UTC)
PROFILES = load_profiles()


def ranking_row(number: int, *, speaker: str = "", role: str = "user", asks: bool = False) -> RankingRow:
    """Return a memory of one conversation, said so many minutes after the first, the one before it known."""
    return RankingRow(
        id=UUID(int=number),
        created_at=NOW - timedelta(days=2) + timedelta(minutes=number),
        event_times=(EventTime(NOW - timedelta(days=3), NOW - timedelta(days=2)),) if number == 1 else (),
        importance=0.3,
        importance_beyond=0.0,
        valence=0.0,
        arousal=0.0,
        access_count=0,
        decay_factor=1.0,
        confidence=1.0,
        trust=0.0,
        token_count=12,
        archived=False,
        informative=True,
        role=role,
        speaker=speaker,
        kind="message",
        conversation_id="c-1",
        preceding_id=UUID(int=number - 1) if number > 1 else None,
        asks=asks,
        key_topics=None,
    )


def signals_of(text: str, columns: Columns, hits: Mapping[UUID, Hit]) -> Signals:
    """Return the signals of candidates for a question by what the index found of them."""
    analysis = analyse(text, now=NOW, zone=ZoneInfo("UTC"), known_names=("Ada", "Bruno"))
    found = SearchResult({one: MemoryCandidate(hit, "m", 0.5) for one, hit in hits.items()})
    return build_signals(columns, found, recall_plan(text, analysis), {})


def measure(text: str, *rows: RankingRow, dense: Mapping[int, float] = {}) -> Signals:
    """Return the signals of memories for a question; `dense` says how close each is in its window."""
    close = {one.id: dense.get(one.id.int, 0.5) for one in rows}
    hits = {one: Hit(one, near, near, 2.0, 4.0) for one, near in close.items()}
    return signals_of(text, Columns(rows), hits)


def test_who_is_named_has_said_it_and_nobody_named_means_everybody() -> None:
    said = ranking_row(1, speaker="Ada"), ranking_row(2, speaker="Bruno", role="assistant")
    assert np.asarray(measure("What did Ada plant?", *said).speaker).tolist() == [1, 0]
    assert np.asarray(measure("What did Bruno plant?", *said).own_words).tolist() == [1, 1]
    nobody = measure("What was planted?", *said)
    assert np.asarray(nobody.speaker).tolist() == [1, 1]
    assert np.asarray(nobody.own_words).tolist() == [1, 0]


def test_an_answer_is_close_by_its_question_and_a_time_answers_when() -> None:
    said = ranking_row(1, asks=True), ranking_row(2)
    found = measure("When did we plant tomatoes?", *said, dense={1: 0.9, 2: 0.1})
    assert np.asarray(found.reply).tolist() == [0, 0.9]
    assert np.asarray(found.dated).tolist() == [1, 0]
    assert np.asarray(found.session).tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("damage", [float("nan"), float("inf")])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_damaged_vector_costs_its_own_memory_only(damage: float, profile: str) -> None:
    said = [ranking_row(number) for number in (1, 2, 3)]
    hits = {one.id: Hit(one.id, 0.6, 0.6, 1.0, 1.0) for one in said}
    hits[said[0].id] = Hit(said[0].id, damage, damage, damage, damage)
    columns = Columns(said)
    signals = signals_of("tomatoes", columns, hits)
    assert all(np.isfinite(column).all() for column in signals)
    scored = rank(columns.ids, columns.instants, PROFILES[profile].score(signals))
    scores = {one.id.int: one.score for one in scored}
    assert scores[2] > 0
    assert scores[3] > 0


def recalled(importance: float, *, times: int) -> RankingRow:
    """Return a memory of an importance of its own that was used so many times."""
    strength = MemoryStrength(importance=importance)
    for _ in range(times):
        strength = reinforce(strength, NOW)
    return ranking_row(1)._replace(
        importance=strength.importance, importance_beyond=strength.beyond, access_count=strength.access_count
    )


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("importance", [0.0, 0.22, 0.9, 0.95, 1.0])
def test_what_matters_most_does_not_lose_by_being_used(importance: float, profile: str) -> None:
    found = [
        measure("tomatoes", recalled(importance, times=times)) for times in (0, 1, 2, 3, 5, 10, 25, 48, 500)
    ]
    scores = np.array([PROFILES[profile].score(one) for one in found]).ravel()
    assert np.all(np.diff(scores) >= -1e-12)
    own = [np.subtract(one.importance, one.importance_gained).item() for one in found]
    assert own == pytest.approx([importance] * len(found))


@given(st.floats(0, 1), st.integers(0, 200))
def test_use_has_gained_what_the_ceiling_has_let_through(importance: float, times: int) -> None:
    found = measure("tomatoes", recalled(importance, times=times))
    let_through = min(0.02 * times, max(0.0, 0.95 - importance))
    assert np.asarray(found.importance_gained).item() == pytest.approx(let_through, abs=1e-9)


def test_only_what_was_measured_is_explained() -> None:
    said = ranking_row(1)
    found = SearchResult({said.id: MemoryCandidate(Hit(said.id), "m")})
    analysis = analyse("cosa ho fatto ieri?", now=NOW, zone=ZoneInfo("UTC"))
    plan, of = recall_plan("cosa ho fatto ieri?", analysis), Columns([said])
    near = build_signals(of, found, plan, {}).of(0).numbers()
    assert set(near) == set(Signals._fields) - {"assumed"}
    equally_near = build_signals(of, replace(found, unfocused=True), plan, {}).of(0).numbers()
    assert set(near) - set(equally_near) == NEARNESS


@pytest.mark.parametrize(("importance", "boost"), [("high", 1.5), ("medium", 1.2), ("low", 1.0)])
async def test_a_marked_topic_that_is_asked_for_boosts_its_summary(importance: str, boost: float) -> None:
    encoder = FakeEncoder(ManualClock(), "fake", 64)
    (vector,) = await encoder.encode(["tomatoes"])
    marked, other = (
        json.dumps([{"topic": name, "importance": importance}]) for name in ("tomatoes", "kayak")
    )
    summaries = [
        ranking_row(1)._replace(key_topics=marked),
        ranking_row(2)._replace(key_topics=other),
        ranking_row(3),
    ]
    boosts = partial(key_topic_boosts, encoder)
    assert await boosts(summaries, vector) == {UUID(int=1): boost, UUID(int=2): 1.0}
    assert await boosts(summaries, None) == await boosts(summaries[2:], vector) == {}
    encoder.available = False
    assert await boosts(summaries, vector) == {}
