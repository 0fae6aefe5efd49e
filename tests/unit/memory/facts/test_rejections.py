"""What the user has rejected is not read again from the same words, and from others it may be."""

from dataclasses import replace
from itertools import permutations

import pytest

from ricordo.memory.facts import Evidence, Rejection, drop_rejected
from ricordo.testing.factories import at

ROW = Evidence("user", "likes", "olives", "m-1", at(0))
WORDS = "I like olives and bread"
REJECTED = Rejection("m-1", "user", "likes", "olives", WORDS)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ROW, WORDS),
        (replace(ROW, subject="User", object=" Olives!"), "  i LIKE olives and bread."),
        (replace(ROW, object="olives and bread"), WORDS),
        (ROW, "like olives"),
        (ROW, "Honestly, I like olives and bread a lot"),
        (replace(ROW, polarity="past"), WORDS),
    ],
)
def test_the_same_reading_is_covered_however_it_is_cut(row: Evidence, words: str) -> None:
    assert REJECTED.covers(row, words)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (replace(ROW, message_id="m-2"), WORDS),
        (replace(ROW, subject="Nora"), WORDS),
        (replace(ROW, predicate="owns"), WORDS),
        (replace(ROW, object="bread"), WORDS),
        (replace(ROW, object="olive"), WORDS),
        (replace(ROW, polarity="denied"), WORDS),
        (replace(ROW, kind="verified"), WORDS),
        (ROW, "I do like olives"),
    ],
)
def test_another_reading_is_not(row: Evidence, words: str) -> None:
    assert not REJECTED.covers(row, words)


def test_what_is_left_does_not_depend_on_the_order_of_rejections() -> None:
    rows = (ROW, replace(ROW, object="bread"), replace(ROW, predicate="owns", object="a mill"))
    words = (WORDS, WORDS, "I own a mill")
    rejections = (REJECTED, replace(REJECTED, predicate="owns", object="mill", quote="own a mill"))
    for some in permutations((*rejections, *rejections)):
        assert drop_rejected(rows, words, some) == ((rows[1],), (WORDS,))
    assert drop_rejected(rows, words, ()) == (rows, words)
