"""What a question asks for by its form, and the questions that it holds."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.query_analysis.search_terms import QuestionForm, asks_for, question_parts


@pytest.mark.parametrize(("question", "parts"), table(__file__, "parts"))
def test_a_query_may_hold_questions_one_after_the_other(question: str, parts: Sequence[str]) -> None:
    assert question_parts(question) == [*parts]


@given(question=st.text(max_size=80))
def test_no_word_of_a_question_is_lost_but_what_joins_its_parts(question: str) -> None:
    parts = question_parts(question)
    assert sum(map(len, parts)) <= len(question)
    assert all(part in question for part in parts)


@pytest.mark.parametrize(("what", "question", "does"), table(__file__, "forms"))
def test_what_is_asked_for_is_known_by_the_form(what: QuestionForm, question: str, *, does: bool) -> None:
    assert asks_for(what, question) == does
