"""What of a text tells, and what asks, wishes, supposes, quotes or jokes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.assertion_scope import evenly_set, plain, tellings


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("Ieri ho visto Anna, e tu?", "it", ["Ieri ho visto Anna"]),
        ("Sai che mi sposo?", "it", [" mi sposo?"]),
        ("What a mess! The machine broke. How do I dry it?", "en", ["What a mess!", "The machine broke."]),
        ("We leave early, unless it snows.", "en", ["We leave early, "]),
        ("Anche se piove esco", "it", ["Anche se piove esco"]),
        ("I wish I had a dog, but my cat died", "en", [", but my cat died"]),
        ("If it rains we stay", "en", []),
        ("dove sei stato ieri", "it", []),
        ("La regina muore nel film", "it", []),
        # Of a series it is "il finale", of a cup "la finale".
        ("Il finale mi ha delusa", "it", []),
        ("Abbiamo visto la finale", "it", ["Abbiamo visto la finale"]),
        ("I got fired! Just kidding", "en", []),
        ("I wish\u00a0 I had  a dog,\tbut my  cat died", "en", [", but my cat died"]),
        ("Id like to see him", "en", []),
        ("Al tg3 lo hanno detto", "it", []),
        ("Mir geht es gut", "de", []),
        ("", "en", []),
    ],
)
def test_only_what_is_so_is_told(text: str, language: str, told: list[str]) -> None:
    assert [one.text for one in tellings(text, language)] == told


@given(st.text(max_size=300))
def test_plain_text_is_as_long_as_what_was_written(text: str) -> None:
    assert len(plain(text)) == len(text)


@given(st.text(st.one_of(st.sampled_from(" \n\t\u00a0\u2003\x1cab"), st.characters()), max_size=60))
def test_blanks_are_set_evenly_and_line_ends_stay(text: str) -> None:
    even = evenly_set(text)
    assert all(sign in " \n" or not sign.isspace() for sign in even)
    assert "  " not in even
    assert even.count("\n") == text.count("\n")
    assert even.split() == evenly_set(even).split()


@given(st.text(max_size=400), st.sampled_from(["it", "en"]))
def test_what_is_told_was_written_and_is_plain_beside(text: str, language: str) -> None:
    for one in tellings(text, language):
        assert one.plain == plain(one.text)
