import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.text import stem
from ricordo.memory.ranking import bm25
from ricordo.memory.ranking.bm25 import AVERAGE_LENGTH, K1, B


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
    weights = {term: bm25.idf(len(corpus), count) for term, count in counts.items()}
    query = bm25.query_terms("il cane Max", ("it",))
    scores = [bm25.score(query, document, weights) for document in documents]
    assert scores[0] == max(scores)
    assert scores[3] == 0


@given(st.integers(0, 10_000), st.data())
def test_idf_is_positive_and_falls_with_frequency(documents: int, data: st.DataObject) -> None:
    containing = data.draw(st.integers(0, documents))
    value = bm25.idf(documents, containing)
    assert value > 0
    if containing < documents:
        assert bm25.idf(documents, containing + 1) < value
    assert value == pytest.approx(math.log(1 + (documents - containing + 0.5) / (containing + 0.5)))


def test_impossible_figures_are_refused() -> None:
    with pytest.raises(ValueError, match="more documents"):
        bm25.idf(1, 2)


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
