"""Whether a message corrects what was said before, and what the earlier message means then."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.corrections.correction_parsing import read_correction
from ricordo.language.corrections.replacement import apply_correction
from ricordo.language.document import Document

TABLE = Path(__file__).with_name("corrections.toml")
MEANT: list[list[str]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["meant"]["cases"]


@pytest.mark.parametrize(("_", "texts"), sentences(TABLE, "names_the_wrong_value"))
def test_correction_that_names_the_wrong_value(_: str, texts: dict[str, None]) -> None:
    for text in texts:
        found = read_correction(Document(text))
        assert found is not None, text
        assert found.denied or found.denied_words, text
        assert not set(found.denied) & set(found.said), text


@pytest.mark.parametrize(("_", "texts"), sentences(TABLE, "names_the_right_value_only"))
def test_correction_that_names_the_right_value_only(_: str, texts: dict[str, None]) -> None:
    for text in texts:
        found = read_correction(Document(text))
        assert found is not None, text
        assert found.said, text
        assert not found.denied, text


@pytest.mark.parametrize(("_", "texts"), sentences(TABLE, "no_correction"))
def test_denial_or_apology_alone_corrects_nothing(_: str, texts: dict[str, None]) -> None:
    far = "x" * 5_000 + " sorry, the 12th not the 14th"
    assert [text for text in ("", far, *texts) if read_correction(Document(text)) is not None] == []


@pytest.mark.parametrize(("text", "denied", "said"), table(__file__, "values"))
def test_values_are_told_apart(text: str, denied: tuple[tuple[str, str], ...], said: tuple[str, ...]) -> None:
    found = read_correction(Document(text))
    assert found is not None
    assert {one[:2] for one in found.denied} == set(denied)
    assert set(said) <= {one.key for one in found.said}


@pytest.mark.parametrize(("corrected", "correction", "meant"), MEANT)
def test_right_words_take_the_place_of_the_wrong_if_that_is_clear(
    corrected: str, correction: str, meant: str
) -> None:
    assert apply_correction(Document(corrected), Document(correction)) == (meant or None)


TOWNS = ("Trani", "Molfetta", "Bisceglie", "Ruvo", "Conversano")


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_corrects_nothing_puts_nothing_right(corrected: str, text: str) -> None:
    assert (
        apply_correction(Document(corrected), Document(text)) is None
        or read_correction(Document(text)) is not None
    )


@given(
    st.sampled_from(("Abito a {}.", "Da anni {} è casa mia", "Ieri a {} c'era vento, oggi piove.")),
    st.sampled_from(
        ("Scusa, {right}, non {wrong}", "{right}, not {wrong}, sorry", "no, scusa: {right}, non {wrong}!")
    ),
    st.permutations(TOWNS),
)
def test_nothing_changes_but_the_value_that_is_denied(said: str, form: str, towns: list[str]) -> None:
    wrong, right, *_ = towns
    meant = apply_correction(Document(said.format(wrong)), Document(form.format(right=right, wrong=wrong)))
    assert meant == said.format(right)


@given(st.lists(st.sampled_from((*TOWNS, "alle 9", "il 12", "15", ".", "e", "ma")), max_size=8).map(" ".join))
def test_what_was_meant_has_no_word_that_nobody_said(corrected: str) -> None:
    correction = "Scusa, Barletta e il 14, non Trani e il 12"
    meant = apply_correction(Document(corrected), Document(correction))
    if meant is not None:
        assert set(re.findall(r"\w+", meant)) <= set(re.findall(r"\w+", f"{corrected} {correction}"))
        assert meant != corrected
