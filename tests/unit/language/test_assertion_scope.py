"""What of a text tells, and what asks, wishes, supposes, quotes or jokes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences

from ricordo.language.assertion_scope import evenly_spaced, plain
from ricordo.language.document import Document

TABLE = Path(__file__).with_name("assertion_scope.toml")


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE))
def test_only_what_is_so_is_told(language: str, expected: dict[str, list[str]]) -> None:
    assert {text: [one.text for one in Document(text, language).assertions] for text in expected} == expected


@given(st.text(max_size=300))
def test_plain_text_is_as_long_as_what_was_written(text: str) -> None:
    assert len(plain(text)) == len(text)


@given(st.text(st.one_of(st.sampled_from(" \n\t\u00a0\u2003\x1cab"), st.characters()), max_size=60))
def test_blanks_are_set_evenly_and_line_ends_stay(text: str) -> None:
    even = evenly_spaced(text)
    assert all(sign in " \n" or not sign.isspace() for sign in even)
    assert "  " not in even
    assert even.count("\n") == text.count("\n")
    assert even.split() == evenly_spaced(even).split()


@given(st.text(max_size=400), st.sampled_from(["it", "en"]))
def test_what_is_told_was_written_and_is_plain_beside(text: str, language: str) -> None:
    for one in Document(text, language).assertions:
        assert one.plain == plain(one.text)
