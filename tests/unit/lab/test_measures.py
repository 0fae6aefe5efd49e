import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo_lab.evaluation.measures import CUTOFFS, mean, measure

ids = st.lists(st.integers(0, 80).map(str), unique=True, max_size=60)


def test_by_hand() -> None:
    found = ["x", "a", "x2", "x3", "x4", "b"]
    measured = measure(found, {"a", "b", "lost"})
    assert measured.fraction[:2] == pytest.approx((1 / 3, 2 / 3))
    assert (set(measured.any), set(measured.all)) == ({1}, {0})
    gained = 1 / math.log2(3) + 1 / math.log2(7)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert measured.ndcg == pytest.approx(gained / best)


@given(ids, st.sets(st.integers(0, 80).map(str), min_size=1))
def test_figures_are_shares_and_grow_with_the_cutoff(found: list[str], evidence: set[str]) -> None:
    measured = measure(found, evidence)
    for figures in (measured.fraction, measured.any, measured.all):
        assert len(figures) == len(CUTOFFS)
        assert list(figures) == sorted(figures)
        assert 0 <= figures[0] <= figures[-1] <= 1
    assert all(
        whole <= part <= some
        for whole, part, some in zip(measured.all, measured.fraction, measured.any, strict=True)
    )
    assert 0 <= measured.ndcg <= 1 + 1e-12


def test_evidence_in_front_is_best() -> None:
    measured = measure(["a", "b", "x"], {"b", "a"})
    assert {*measured.fraction, *measured.any, *measured.all} == {1}
    assert measured.ndcg == pytest.approx(1)


def test_the_mean_is_over_questions() -> None:
    one, none = measure(["a"], {"a"}), measure(["x"], {"a"})
    assert mean([one, none, none, none]).fraction == (0.25,) * 4
