"""What a pattern cannot match without."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.regex_prefilter import Sieve, demands


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
        ("abcd{00}", [{"abc"}]),
        ("", []),
    ],
)
def test_what_a_pattern_demands(pattern: str, demanded: list[set[str]]) -> None:
    assert sorted(map(sorted, demands(pattern))) == sorted(map(sorted, demanded))


@pytest.mark.parametrize(
    "pattern",
    [
        "(?>married)",
        "(?i:Married)",
        "(?i)Married",
        r"\x41bcd",
        r"\u00e8rano",
        "(?#a comment)job",
        "(?s:.)abc",
        "(?P<who>wife)",
        r"(wife)\1",
        "(job",
        "job)",
        "[job",
        "job\\",
    ],
)
def test_a_pattern_with_anything_unknown_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"unknown|group"):
        demands(pattern)


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


@given(
    st.lists(_PARTS, min_size=1, max_size=5),
    st.lists(st.sampled_from(["job", "wife", " a", "x", "b", "c", "jo", "'"]), max_size=6).map("".join),
)
def test_whatever_matches_is_passed(patterns: list[str], text: str) -> None:
    passed = Sieve(patterns).passed(text, re.findall("[a-z0-9]+", text))
    assert {at for at, pattern in enumerate(patterns) if re.search(pattern, text)} <= passed


def test_hardly_anything_else_is_passed() -> None:
    sieve = Sieve(["got the job", "(?:lost|found) work", "e' mort[oa]", "[a-z]+"])
    assert sieve.passed("i lost my job", ["i", "lost", "my", "job"]) == {3}
    assert sieve.passed("i found work", ["i", "found", "work"]) == {1, 3}
    assert sieve.passed("papa e' morto", ["papa", "e", "morto"]) == {2, 3}
    assert sieve.passed("a" * 99 + "mort", ["a" * 99 + "mort"]) == {3}
