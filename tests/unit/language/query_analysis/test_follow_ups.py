"""Questions that lean on the one before are completed from it; all others stand for themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.query_analysis.follow_ups import EarlierQuestion, completed, leans

EARLIER = {
    "en": EarlierQuestion("what does my sister do for work?", ["my sister"], "nurse"),
    "it": EarlierQuestion("dove vive mia sorella?", ["mia sorella"], "Trieste"),
}


@pytest.mark.parametrize(
    ("language", "question", "full"),
    [*table(__file__, "after_a_question"), *table(__file__, "dopo_una_domanda")],
)
def test_a_question_is_completed_by_the_one_before(language: str, question: str, full: str) -> None:
    found = completed(question, EARLIER[language], language)
    assert found.text == full
    assert leans(question) or full == question
    assert found.of_another_time == ("before" in question or "prima" in question)


def test_what_answered_is_asked_about_where_the_question_named_nobody() -> None:
    earlier = EarlierQuestion("who is my dentist?", [], "dr Rossi")
    assert completed("and where is her practice?", earlier, "en").text == "where is her practice? (dr Rossi)"


def test_what_is_kept_of_a_question_holds_no_words_of_a_message() -> None:
    found = completed("where did she learn it?", EARLIER["en"], "en")
    assert "nurse" in found.text
    assert "nurse" not in found.kept


@pytest.mark.parametrize(
    "said", ["and i love pizza so much", "but i don't really know", "so, " + "it is " * 20]
)
def test_what_asks_nothing_is_left_as_it_is(said: str) -> None:
    assert (
        not leans(said)
        or completed(
            said,
            EARLIER["en"],
            "en",
        ).text
        == said
    )


def test_nothing_is_completed_by_no_question() -> None:
    nothing = EarlierQuestion("", ["Anna"])
    assert completed("when?", nothing, "en").text == "when?"
    assert completed("and where does she live?", nothing, "en").text == "where does she live? (Anna)"


def test_a_question_that_names_somebody_stands_for_itself() -> None:
    assert completed("where does tom park his car?", EARLIER["en"], "en", named=True).text.startswith("where")
    assert "my sister" not in completed("and what does tom do?", EARLIER["en"], "en", named=True).text


@given(question=st.text(max_size=80), language=st.sampled_from(["it", "en", "de"]))
def test_any_question_keeps_some_words(question: str, language: str) -> None:
    earlier = EARLIER.get(language, EARLIER["en"])
    assert completed(question, earlier, language).text.strip() or not question.strip()
