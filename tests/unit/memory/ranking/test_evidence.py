"""Words and the evidence around a memory: sessions, replies, connections, and fusion of rankings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.memory_index import idf, score

from ricordo.language.text import stem
from ricordo.memory.ranking import bm25
from ricordo.memory.ranking.bm25 import AVERAGE_LENGTH, K1, B
from ricordo.memory.ranking.context_signals import (
    BEST,
    FIRM,
    boost_connected,
    connection_strengths,
    mean_of_best,
    reply_closeness,
    session_labels,
    turns_around,
)
from ricordo.memory.ranking.fusion import rank_constant, reciprocal_rank


def test_a_term_has_the_same_id_in_every_version() -> None:
    assert bm25.term_id("cane") == 3594063068


def test_the_weight_is_the_published_formula() -> None:
    vector = bm25.terms("cane cane gatto", "it")
    saturation = K1 * (1 - B + B * 3 / AVERAGE_LENGTH)
    expected = {
        bm25.term_id("can"): 2 * (K1 + 1) / (2 + saturation),
        bm25.term_id("gatt"): (K1 + 1) / (1 + saturation),
    }
    assert dict(zip(vector.indices.tolist(), vector.weights.tolist(), strict=True)) == pytest.approx(expected)


@given(st.text(), st.sampled_from(["it", "en", "xx"]))
def test_vectors_are_well_formed(content: str, language: str) -> None:
    for vector in (bm25.terms(content, language), bm25.query_terms(content, (language,))):
        assert vector.indices.dtype == np.uint32
        assert vector.weights.dtype == np.float32
        assert np.all(np.diff(vector.indices.astype(np.int64)) > 0)
        assert np.all((vector.weights > 0) & (vector.weights < K1 + 1))


def test_a_window_holds_its_neighbours_words_in_any_order() -> None:
    texts = [("Il cane dorme", "it"), ("The cat sleeps", "en"), ("", "it")]
    window = bm25.window_terms(texts)
    assert window.indices.tolist() == bm25.window_terms(texts[::-1]).indices.tolist()
    assert {bm25.term_id("can"), bm25.term_id("cat")} <= set(window.indices.tolist())


def test_a_rare_word_outranks_a_common_one() -> None:
    corpus = ["il cane Max dorme", "il cane corre", "il cane mangia", "il gatto dorme"]
    documents = [bm25.terms(content, "it") for content in corpus]
    counts = {
        term: sum(term in set(d.indices.tolist()) for d in documents)
        for d in documents
        for term in d.indices.tolist()
    }
    weights = {term: idf(len(corpus), count) for term, count in counts.items()}
    query = bm25.query_terms("il cane Max", ("it",))
    scores = [score(query, document, weights) for document in documents]
    assert scores[0] == max(scores)
    assert scores[3] == 0


def test_words_that_most_memories_hold_do_not_count_unless_all_do() -> None:
    asked = bm25.query_terms("violin concert today", ["en"])
    violin, concert, today = (bm25.term_id(stem(word, "en")) for word in ("violin", "concert", "today"))
    kept = bm25.drop_common_terms(asked, {violin: 2.0, today: 0.3}, 0.6)
    assert kept.indices.tolist() == [violin]
    assert bm25.drop_common_terms(asked, dict.fromkeys((violin, concert, today), 0.3), 0.6) is asked
    assert bm25.drop_common_terms(asked, {violin: 0.3}, 0.6) is asked, (
        "what nobody said does not make up for it"
    )
    assert bm25.drop_common_terms(asked, {}, 0.6) is asked


spoken = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 100_000), st.floats(0, 1)), min_size=1, max_size=20
)


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
    places = {key: place for place, key in enumerate(("question", "answer", "statement", "other"))}
    found = reply_closeness(places, before, asks, closeness)
    assert found.tolist() == [0.0, 0.8, 0.0, 0.0]
    assert reply_closeness({}, [], np.zeros(0), np.zeros(0)).size == 0


logits = st.lists(st.floats(-30, 30), min_size=1, max_size=30).map(np.array)


def order(scores: np.ndarray) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")]


def test_who_is_named_by_the_best_connects_right_behind_these() -> None:
    scores = np.array([2.0, 0.0, -1.0, -2.0, -3.0, -4.0, -9.0, -8.0])
    words = [{"ugo"}, set(), set(), set(), set(), set(), {"ugo"}, set()]
    strength = connection_strengths(scores, {0: {"ugo": 1.0}}, words, {})
    assert strength[6] > 0.5
    assert strength[7] == 0
    assert order(boost_connected(scores, strength, 10.0))[:5] == [0, 1, 2, 6, 3]
    assert connection_strengths(scores, {0: {"ugo": 0.5}}, words, {})[6] == strength[6] / 2


def test_what_few_hold_connects_more_firmly() -> None:
    scores = np.array([5.0, 0.0, 0.0, 0.0, 0.0])
    words = [{"ugo", "bar"}, {"bar"}, {"bar"}, {"bar"}, {"ugo"}]
    strength = connection_strengths(scores, {0: {"ugo": 1.0, "bar": 1.0}}, words, {})
    assert strength[4] > strength[3] > 0


def test_neighbours_are_tied_and_the_next_but_one_less() -> None:
    ties = turns_around(0, {0: {1}, 1: {0, 2}, 2: {1}})
    assert ties[1] > ties[2] > 0
    assert set(ties) == {1, 2}
    strength = connection_strengths(np.array([3.0, -5.0, -5.0, -5.0]), {}, [set()] * 4, {0: ties})
    assert strength[1] > strength[2] > strength[3] == 0


@given(logits, st.data())
def test_the_first_stay_where_they_are(scores: np.ndarray, data: st.DataObject) -> None:
    strength = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(scores), max_size=len(scores))))
    raised = boost_connected(scores, strength, 6.0)
    kept = [place for place in order(scores)[:BEST] if scores[place] >= scores.max() - FIRM]
    assert order(raised)[: len(kept)] == kept
    assert np.all(raised >= scores - 1e-9)


@given(logits)
def test_without_words_and_ties_nothing_is_connected(scores: np.ndarray) -> None:
    assert not connection_strengths(scores, {}, [set()] * len(scores), {}).any()


rankings = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), min_size=1, max_size=3)


@pytest.mark.parametrize(("candidates", "k"), [(0, 10), (100, 10), (300, 30), (600, 60), (5_000, 60)])
def test_the_constant_adapts_to_the_number_of_candidates(candidates: int, k: float) -> None:
    assert rank_constant(candidates) == k


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
