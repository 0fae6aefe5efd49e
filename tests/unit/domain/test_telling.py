"""What of a text tells, and what asks, wishes, supposes, quotes or jokes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.domain.telling import plain, tellings


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
        ("I got fired! Just kidding", "en", []),
        ("Mir geht es gut", "de", []),
        ("", "en", []),
    ],
)
def test_only_what_is_so_is_told(text: str, language: str, told: list[str]) -> None:
    assert [one.text for one in tellings(text, language)] == told


@given(st.text(max_size=300))
def test_plain_text_is_as_long_as_what_was_written(text: str) -> None:
    assert len(plain(text)) == len(text)


@given(st.text(max_size=400), st.sampled_from(["it", "en"]))
def test_what_is_told_was_written_and_is_plain_beside(text: str, language: str) -> None:
    for one in tellings(text, language):
        assert one.plain == plain(one.text)
