import datetime as dt
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.ranking import (
    UnknownProfile,
    UnknownWeight,
    find_profile,
    load_profiles,
    rank,
)
from ricordo.memory.ranking.confidence import confidence
from ricordo.memory.ranking.fixed_profiles import (
    BudgetProfile,
    ContextAdmission,
    GenerativeProfile,
    MultiplicativeProfile,
    WeightedProfile,
    admission,
)
from ricordo.memory.ranking.human import load_human
from ricordo.memory.ranking.signals import Interval, RankingProfile, Signals, temporal_relevance

NOW = dt.datetime(2026, 2, 1, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
unit = st.floats(0, 1)
flag = st.sampled_from([0.0, 1.0])
signals = st.builds(
    Signals,
    **dict.fromkeys(Signals._fields, unit)
    | dict.fromkeys(("has_vector_score", "is_bare_predicate", "evidence", "foreign"), flag)
    | dict.fromkeys(("connection", "assumed"), st.just(0.0))
    | {"valence": st.floats(-1, 1), "age_days": st.floats(0, 4_000), "trust": st.integers(0, 5)}
    | {"access_count": st.integers(0, 200), "token_count": st.integers(0, 10_000)}
    | {"key_topic_boost": st.sampled_from([1.0, 1.2, 1.5])},
)
PROFILES = load_profiles()
any_profile = st.sampled_from(list(PROFILES.values()))
NEITHER = (
    "fused valence age_days token_count key_topic_boost asks importance_gained has_vector_score "
    "is_bare_predicate connection foreign assumed"
)
RISING = sorted(set(Signals._fields) - set(NEITHER.split()))


def test_weighted_by_hand() -> None:
    one = Signals(
        semantic=0.8,
        temporal=1,
        importance=0.7,
        valence=-0.6,
        arousal=0.5,
        access_count=5,
        age_days=15,
        decay_factor=0.9,
    )
    expected = (0.35 * 0.8 + 0.25 + 0.15 * 0.7 + 0.10 * 0.3 + 0.10 * 0.5 + 0.05 * 0.5) * 0.9
    assert WeightedProfile().score(one) == pytest.approx(expected)


@given(signals, unit)
def test_the_confidence_is_a_probability(one: Signals, unknown: float) -> None:
    assert 0 <= confidence(one, unknown, load_human()) <= 1


def test_multiplicative_by_hand() -> None:
    one = Signals(semantic=0.6, importance=1, age_days=90, confidence=0.5, trust=5, key_topic_boost=1.5)
    assert MultiplicativeProfile().score(one) == pytest.approx(0.6 * 1.5 * 0.9 * 0.5 * 1.2 * 1.5)


def test_generative_by_hand() -> None:
    one = Signals(semantic=0.9, age_days=50, importance=0.5)
    assert GenerativeProfile().score(one) == pytest.approx(0.45 + 0.3 * 0.36787944 + 0.1)


def test_budget_by_hand() -> None:
    fresh = Signals(importance=1, access_count=50)
    assert BudgetProfile().score(fresh) == pytest.approx(9)
    old = Signals(importance=4 / 9, access_count=10, age_days=60, token_count=500)
    assert BudgetProfile().score(old) == pytest.approx(0.3 * 8 + 0.2 * 2 + 0.4 * 5 - 0.1)
    assert [admission(score) for score in (7, 6.9, 4, 3.9)] == [
        ContextAdmission.ALWAYS,
        ContextAdmission.IF_ROOM,
        ContextAdmission.IF_ROOM,
        ContextAdmission.ON_REQUEST,
    ]


@given(any_profile, signals, st.data())
def test_no_profile_punishes_what_speaks_for_a_memory(
    profile: RankingProfile, one: Signals, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(RISING))
    top = {"access_count": 200, "trust": 5}.get(name)
    before = getattr(one, name)
    more = data.draw(st.floats(before, 1) if top is None else st.integers(before, top))
    changes: dict[str, Any] = {name: more}
    assert profile.score(one._replace(**changes)) >= profile.score(one) - 1e-9


@given(any_profile, signals, st.floats(0, 1_000), st.integers(0, 1_000))
def test_age_and_cost_never_help(profile: RankingProfile, one: Signals, days: float, tokens: int) -> None:
    assert profile.score(one._replace(age_days=one.age_days + days)) <= profile.score(one) + 1e-9
    longer = one._replace(token_count=one.token_count + tokens)
    assert BudgetProfile().score(longer) <= BudgetProfile().score(one) + 1e-9


@given(signals)
def test_scores_are_bounded(one: Signals) -> None:
    assert 0 <= PROFILES["human"].score(one) <= 1
    assert 0 <= WeightedProfile().score(one) <= 1 + 1e-9
    assert 0 <= GenerativeProfile().score(one) <= 1 + 1e-9
    assert 0 <= MultiplicativeProfile().score(one) <= 1.5 * 1.2 * 1.5 + 1e-9
    assert BudgetProfile().score(one) <= 9 + 1e-9


@given(any_profile, st.lists(signals, min_size=1, max_size=5))
def test_many_are_scored_as_each_alone(profile: RankingProfile, several: list[Signals]) -> None:
    columns = Signals(*(np.array(values, dtype=np.float64) for values in zip(*several, strict=True)))
    assert profile.score(columns) == pytest.approx([profile.score(one) for one in several])


def order(*several: tuple[int, int, float], limit: int | None = None) -> list[int]:
    """Return the order of candidates of an id, an age in days and a closeness each."""
    ids, ages, close = zip(*several, strict=True)
    instants = np.array([(NOW - age * DAY).timestamp() for age in ages])
    scores = WeightedProfile().score(Signals(semantic=np.array(close)))
    return [one.id.int for one in rank([UUID(int=number) for number in ids], instants, scores, limit)]


def test_ties_go_to_the_newer_then_to_the_lower_id() -> None:
    found = (3, 1, 0.5), (2, 0, 0.5), (1, 0, 0.5), (4, 9, 0.9)
    assert order(*found) == [4, 1, 2, 3]
    assert order(*found, limit=2) == [4, 1]


@given(st.permutations([(number, number % 3, float(number % 2)) for number in range(8)]))
def test_the_order_of_arrival_does_not_matter(found: list[tuple[int, int, float]]) -> None:
    assert order(*found) == order(*sorted(found))


def test_profiles_are_found_by_name() -> None:
    assert find_profile("budget", PROFILES) is PROFILES["budget"]
    with pytest.raises(UnknownProfile, match="budget, generative, human, multiplicative, weighted"):
        find_profile("best", PROFILES)


def test_weights_can_be_changed_by_name() -> None:
    changed = load_profiles({"generative": {"recency": 0.0}, "human": {"importance": 9.0, "window": 0.0}})
    old = Signals(semantic=0.5, age_days=500)
    assert changed["generative"].score(old) == changed["generative"].score(old._replace(age_days=0))
    close, heavy = Signals(window=0.9), Signals(importance=1)
    assert changed["human"].score(heavy) > changed["human"].score(close)
    assert PROFILES["human"].score(heavy) < PROFILES["human"].score(close)


@pytest.mark.parametrize("profile", ["human", "budget"])
def test_a_weight_that_a_profile_has_not_is_refused_by_name(profile: str) -> None:
    with pytest.raises(UnknownWeight, match=f"'{profile}' has no weight 'charm'; it has .*importance"):
        load_profiles({profile: {"charm": 1.0}})
    with pytest.raises(UnknownProfile, match="'best'"):
        load_profiles({"best": {}})


YESTERDAY = Interval(NOW - DAY, NOW)


def test_temporal_relevance_is_one_inside_and_fades_outside() -> None:
    assert temporal_relevance(None, NOW, ()) == 0
    assert temporal_relevance(YESTERDAY, NOW - DAY, ()) == 1
    assert temporal_relevance(YESTERDAY, NOW + 7 * DAY, ()) == pytest.approx(0.36787944)
    assert temporal_relevance(YESTERDAY, NOW - 8 * DAY, ()) == pytest.approx(0.36787944)


def test_while_the_model_is_away_words_outrank_all_that_is_not_relevance() -> None:
    asked_for = Signals(
        has_vector_score=0, bm25=1.0, bm25_window=1.0, session_bm25=1.0, importance=0.3, token_count=7
    )
    beside_it = Signals(
        has_vector_score=0,
        bm25_window=0.92,
        session_bm25=1.0,
        importance=0.8,
        valence=0.8,
        arousal=0.7,
        token_count=14,
    )
    human = PROFILES["human"]
    assert human.score(asked_for) > human.score(beside_it)
    assert human.score(asked_for) > 10 * human.score(Signals(has_vector_score=0, token_count=14))


def test_another_language_is_made_up_for_only_where_words_find_something() -> None:
    human = load_human()
    silent = Signals(semantic=np.array([0.6, 0.6]), foreign=np.array([0.0, 1.0]))
    found = silent._replace(bm25_window=np.array([0.5, 0.0]))
    made_up = np.subtract(human.logits(found), human.logits(silent))[1]
    assert made_up == pytest.approx(human.foreign_weights["foreign"]) != 0
