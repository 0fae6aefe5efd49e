import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.ranking.fusion import (
    NO_MINIMUMS,
    Minimums,
    at_least,
    by_rank,
    rank_constant,
    reciprocal_rank,
    weighted,
)

rankings = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), min_size=1, max_size=3)


@pytest.mark.parametrize(("candidates", "k"), [(0, 10), (100, 10), (300, 30), (600, 60), (5_000, 60)])
def test_the_constant_adapts_to_the_number_of_candidates(candidates: int, k: float) -> None:
    assert rank_constant(candidates) == k


def test_first_in_both_scores_one_and_first_in_one_half() -> None:
    fused = reciprocal_rank([["a", "b"], ["a", "c"]])
    assert fused["a"] == pytest.approx(1)
    assert fused["b"] == pytest.approx(0.5 * 11 / 12)
    assert list(fused) == ["a", "b", "c"]


def test_the_published_sum() -> None:
    fused = reciprocal_rank([["a", "b"], ["b"]], candidates=600)
    assert fused["b"] == pytest.approx((1 / 62 + 1 / 61) / (2 / 61))


def test_a_search_that_found_nothing_halves_and_one_that_was_not_asked_does_not() -> None:
    assert reciprocal_rank([["a"], []])["a"] == pytest.approx(0.5)
    assert reciprocal_rank([["a"]])["a"] == pytest.approx(1)
    assert reciprocal_rank([]) == {}


@given(rankings)
def test_fused_scores_span_zero_to_one_best_first(found: list[list[int]]) -> None:
    fused = reciprocal_rank(found)
    assert set(fused) == {key for ranking in found for key in ranking}
    assert all(0 < score <= 1 for score in fused.values())
    assert list(fused.values()) == sorted(fused.values(), reverse=True)


@given(st.lists(st.integers(), unique=True, min_size=2))
def test_a_better_rank_is_a_better_score(ranking: list[int]) -> None:
    assert list(reciprocal_rank([ranking, ranking])) == ranking


def test_weighted_fusion_scales_bm25_by_its_best() -> None:
    fused = weighted({"a": 0.5, "b": -0.2}, {"b": 4.0, "c": 8.0})
    assert fused == pytest.approx({"a": 0.35, "c": 0.3, "b": 0.15})
    assert list(fused) == ["a", "c", "b"]
    assert weighted({}, {}) == {}
    assert weighted({"a": 1.0}, {"a": 0.0}) == {"a": 0.7}


def test_minimums() -> None:
    scores = {"a": 0.41, "b": 0.4, "c": 0.39}
    assert list(at_least(scores, Minimums().similarity)) == ["a", "b"]
    assert at_least(scores, NO_MINIMUMS.similarity) == scores
    assert by_rank({"x": 1, "y": 2, "z": 1}) == ["y", "x", "z"]
