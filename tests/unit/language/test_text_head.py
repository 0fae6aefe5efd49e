"""Heads over texts, and the reading of a text, which stands where a part of the text is replaced."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ricordo.language.annotations import E5
from ricordo.language.reading import UNREAD, ReadStatement, amended
from ricordo.language.text_head import BUCKETS, SHAPE, TextHead, buckets, load_head

NEAR, FAR = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)
FITTED_ON = Path(__file__).parent / "query_analysis" / "predicates.tsv"


def head(weight: int) -> TextHead:
    hashed = np.zeros((BUCKETS, 2), dtype=np.int8)
    hashed[buckets("hold the button"), 1] = weight
    dense = np.zeros((SHAPE + 2, 2), dtype=np.float32)
    dense[SHAPE:, 1] = 4.0, -4.0
    return TextHead(("-", "how"), hashed, np.array([1.0, 1.0], dtype=np.float32), dense, "a model", "a file")


@pytest.mark.parametrize("language", ["it", "en"])
def test_the_shipped_head_was_fitted_on_the_texts_beside_the_tests(language: str) -> None:
    shipped = load_head("ricordo.language.query_analysis", "predicates", language)
    assert shipped is not None
    assert shipped.fitted_on == hashlib.sha256(FITTED_ON.read_bytes()).hexdigest()
    assert shipped.model == E5


@given(st.text(max_size=400))
def test_probabilities_are_of_all_labels_and_add_up(text: str) -> None:
    odds = head(3).probabilities(text, NEAR)
    assert list(odds) == ["-", "how"]
    assert sum(odds.values()) == pytest.approx(1, abs=1e-5)


def test_a_head_comes_back_as_it_was_saved() -> None:
    kept = TextHead.restored(head(5).saved())
    assert kept.probabilities("hold it", FAR) == pytest.approx(head(5).probabilities("hold it", FAR))
    assert (kept.labels, kept.model, kept.fitted_on) == (("-", "how"), "a model", "a file")


@pytest.mark.parametrize(
    ("as_taught", "as_typed"),
    [("What’s my name", "whats my name"), ("Che età ho", "che eta ho"), ("DOVE ABITO", "dove abito")],
)
def test_capitals_accents_and_apostrophes_make_no_difference(as_taught: str, as_typed: str) -> None:
    assert buckets(as_taught).tolist() == buckets(as_typed).tolist()


BEFORE, REPLACED, BEHIND = (st.text(letters, max_size=6) for letters in ("ab ", "cd", "ef "))
"""Of letters of their own, so that nothing but the part in the middle can have changed."""


def read(start: int, end: int, text: str) -> ReadStatement:
    return ReadStatement(
        predicate="lives_in", object=(start, end), clause=(0, len(text)), of="speaker", certainty=0.9
    )


@given(BEFORE, REPLACED, REPLACED, BEHIND, st.data())
def test_parts_stand_where_their_words_stand(
    before: str, old: str, new: str, behind: str, data: st.DataObject
) -> None:
    text, changed = before + old + behind, before + new + behind
    assume(text and changed)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = amended(replace(UNREAD, statements=(read(start, end, text),)), text, changed)
    for one in found.statements:
        assert 0 <= one.object[0] < one.object[1] <= len(changed)
        assert 0 <= one.clause[0] < one.clause[1] <= len(changed)
        if end < len(before):
            assert changed[slice(*one.object)] == text[start:end]
    if end < len(before) or start > len(before) + len(old):
        assert found.statements


def test_what_was_replaced_is_what_is_read_now() -> None:
    text, changed = "I moved to Lucca in May", "I moved to Luino in May"
    (one,) = amended(replace(UNREAD, statements=(read(11, 16, text),)), text, changed).statements
    assert changed[slice(*one.object)] == "Luino"
    assert amended(UNREAD, text, changed) == UNREAD
