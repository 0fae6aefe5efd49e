"""What a pattern cannot match without."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.domain.indispensable import demands


@pytest.mark.parametrize(
    ("pattern", "demanded"),
    [
        (r"\bgot the job\b", [{"got the job"}]),
        ("(?:lost|found) (?:my )?work", [{"work"}, {"lost", "found"}]),
        ("colou?r(?:ed)?", [{"colo"}]),
        ("fired|laid off", [{"fired", "laid off"}]),
        ("fired|[a-z]+", []),
        (r"(?!never)(?<=was )fir(?:ed|ing)", [{"fir"}]),
        ("(?:very ){0,2}married", [{"married"}]),
        ("(?:very ){1,2}sad", [{"very "}, {"sad"}]),
        ("bab(?:y|ies)", [{"bab"}]),
        (r"e\.g\.", [{"e.g."}]),
        ("<kin> died", [{" died"}]),
        ("[a-z]{2,9}", []),
        ("", []),
    ],
)
def test_what_a_pattern_demands(pattern: str, demanded: list[set[str]]) -> None:
    assert sorted(map(sorted, demands(pattern))) == sorted(map(sorted, demanded))


_PARTS = st.recursive(
    st.sampled_from(["job", "wife", " a", "x", "[a-c]", ".", r"\b", "(?=j)", "(?!q)"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: f"(?:{'|'.join(some)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{0,2}", "{1,2}"])).map(
            lambda one: f"(?:{one[0]}){one[1]}"
        ),
    ),
    max_leaves=12,
)


@given(_PARTS, st.lists(st.sampled_from(["job", "wife", " a", "x", "b", "c", "jo"]), max_size=6).map("".join))
def test_whatever_matches_holds_what_is_demanded(pattern: str, text: str) -> None:
    if re.search(pattern, text):
        assert all(any(piece in text for piece in pieces) for pieces in demands(pattern))
