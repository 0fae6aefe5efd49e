import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.ranking.context_signals import SILENCE_S, mean_of_best, reply_closeness, session_labels

spoken = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 100_000), st.floats(0, 1)), min_size=1, max_size=20
)


def test_a_session_ends_with_silence_and_with_its_conversation() -> None:
    instants = np.array([0.0, SILENCE_S + 90, 60.0, 30.0, 2 * SILENCE_S + 90])
    labels = session_labels(["c", "c", "c", "d", "c"], instants).tolist()
    assert labels[0] == labels[2]
    assert labels[1] == labels[4]
    assert len({labels[0], labels[1], labels[3]}) == 3


@given(spoken, st.integers(0, 1_000))
def test_sessions_do_not_depend_on_the_order_of_what_was_found(
    said: list[tuple[str, int, float]], seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(len(said))
    labels = session_labels([place for place, _, _ in said], np.array([at for _, at, _ in said], dtype=float))
    moved = session_labels(
        [said[at][0] for at in order], np.array([said[at][1] for at in order], dtype=np.float64)
    )
    together = labels[:, None] == labels[None, :]
    assert np.array_equal(together[np.ix_(order, order)], moved[:, None] == moved[None, :])


def test_the_best_of_a_session_speak_for_all_of_it() -> None:
    labels = np.array([0, 1, 0, 0, 0])
    values = np.array([0.3, 0.9, 0.6, 0.0, 0.3])
    assert mean_of_best(labels, values) == pytest.approx([0.4, 0.9, 0.4, 0.4, 0.4])
    assert mean_of_best(labels, values, 1) == pytest.approx([0.6, 0.9, 0.6, 0.6, 0.6])
    assert mean_of_best(np.zeros(0, dtype=np.intp), np.zeros(0)).size == 0


@given(spoken)
def test_evidence_of_a_session_is_bounded_and_the_same_for_all_in_it(
    said: list[tuple[str, int, float]],
) -> None:
    labels = session_labels([place for place, _, _ in said], np.array([at for _, at, _ in said], dtype=float))
    values = np.array([value for _, _, value in said])
    evidence = mean_of_best(labels, values)
    assert ((evidence >= 0) & (evidence <= values.max() + 1e-12)).all()
    for label in set(labels.tolist()):
        assert len(set(evidence[labels == label].tolist())) == 1


def test_an_answer_is_known_by_its_question() -> None:
    asks, closeness = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.8, 0.1, 0.7, 0.2])
    before = [None, "question", "elsewhere", "statement"]
    found = reply_closeness(["question", "answer", "statement", "other"], before, asks, closeness)
    assert found.tolist() == [0.0, 0.8, 0.0, 0.0]
    assert reply_closeness([], [], np.zeros(0), np.zeros(0)).size == 0
