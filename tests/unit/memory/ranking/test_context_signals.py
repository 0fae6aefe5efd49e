"""What is connected with the best memories is lifted behind them, and never above them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.ranking.context_signals import KEPT, boost_connected, connection_strengths

logits = st.lists(st.floats(-30, 30), min_size=1, max_size=30).map(np.array)


def order(scores: np.ndarray) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")]


def test_who_is_named_by_the_best_connects() -> None:
    scores = np.array([2.0, 0.0, -1.0, -2.0, -3.0, -4.0, -9.0, -8.0])
    names = [{"ugo"}, set(), set(), set(), set(), set(), {"ugo"}, {"ada"}]
    strength = connection_strengths(scores, names, {})
    assert strength[6] > 0.5
    assert strength[7] == 0
    assert order(boost_connected(scores, strength, 10.0))[:6] == [0, 1, 2, 3, 4, 6]


def test_a_rare_name_connects_more_than_a_common_one() -> None:
    scores = np.array([2.0, *([-5.0] * 19)])
    names = [{"ugo", "ada"}, {"ugo"}, *([{"ada"}] * 18)]
    strength = connection_strengths(scores, names, {})
    assert strength[1] > strength[2] > 0


def test_neighbours_connect_and_the_next_but_one_less() -> None:
    scores = np.array([3.0, -5.0, -5.0, -5.0])
    strength = connection_strengths(scores, [set()] * 4, {0: {1}, 1: {0, 2}, 2: {1}})
    assert strength[1] > strength[2] > strength[3] == 0


@given(logits, st.data())
def test_the_first_stay_where_they_are(scores: np.ndarray, data: st.DataObject) -> None:
    strength = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(scores), max_size=len(scores))))
    raised = boost_connected(scores, strength, 6.0)
    kept = order(scores)[:KEPT]
    assert order(raised)[: len(kept)] == kept
    assert np.all(raised >= scores - 1e-9)


@given(logits)
def test_without_names_and_neighbours_nothing_is_connected(scores: np.ndarray) -> None:
    assert not connection_strengths(scores, [set()] * len(scores), {}).any()
