"""Whether a text tells how something is done, by the shape of its clauses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.domain.procedures import tells_how


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Per montare la tenda: stendi il telo, infila i pali, tira i lacci e poi pianta i picchetti.", "it"),
        (
            "Zia mi ha spiegato il pesto: due giri di pestello, olio solo alla fine, mai scaldarlo",
            "it",
        ),
        ("promemoria: prima stacca la spina, poi tieni premuto il tasto dieci secondi", "it"),
        ("To prune the roses, cut above a bud, then seal the end. never in frost", "en"),
        ("The plumber showed me: shut the valve, wait two minutes, then open it a quarter turn", "en"),
        ("note to self: soak the beans before dinner, rinse twice, boil till soft", "en"),
    ],
)
def test_a_way_to_do_something(text: str, language: str) -> None:
    assert tells_how(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ieri siamo andati al mare, poi abbiamo cenato dai nonni e siamo tornati tardi.", "it"),
        ("Mia sorella ha due gatti e un cane, vive a Udine.", "it"),
        ("Then we took the train home and slept for ten hours.", "en"),
        ("I hate Mondays, never again.", "en"),
        ("", "en"),
        ("étendre la pâte, puis cuire dix minutes", "fr"),
    ],
)
def test_a_story_is_none(text: str, language: str) -> None:
    assert not tells_how(text, language)


@given(st.text(max_size=300), st.sampled_from(["it", "en", "xx"]))
def test_any_text_is_judged(text: str, language: str) -> None:
    assert tells_how(text, language) in {True, False}
