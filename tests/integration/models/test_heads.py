"""The heads that are shipped, with vectors of their model, on texts that they have not seen."""

import pytest
from tests.fixtures.sentence_tables import table
from tests.integration.models.conftest import Shipped

from ricordo.language.query_analysis.requested_predicates import CORE, requested_predicates
from ricordo.language.query_analysis.search_terms import leans


@pytest.mark.parametrize(
    ("query", "language", "predicate"), table(__file__, "a_question_about_oneself_asks_for_a_predicate_alone")
)
def test_a_question_about_oneself_asks_for_a_predicate_alone(
    shipped: Shipped, query: str, language: str, predicate: str
) -> None:
    found = requested_predicates(query, language, vector=shipped.vector(query))
    assert found.names[0] == predicate
    assert found.bare > 0.5


@pytest.mark.parametrize(
    ("query", "language"), table(__file__, "a_question_that_says_more_is_searched_for_by_its_own_words")
)
def test_a_question_that_says_more_is_searched_for_by_its_own_words(
    shipped: Shipped, query: str, language: str
) -> None:
    assert not requested_predicates(query, language, vector=shipped.vector(query)).bare


def test_who_names_somebody_asks_for_more(shipped: Shipped) -> None:
    query = "Dove abita Anna?"
    found = requested_predicates(query, "it", names=("Anna",), vector=shipped.vector(query))
    assert found.names == ("lives_in",)
    assert not found.bare


@pytest.mark.parametrize(
    ("query", "language"),
    [("What have you learnt about me so far?", "en"), ("Cos'hai capito di me finora?", "it")],
)
def test_oneself_as_a_whole_asks_for_the_core(shipped: Shipped, query: str, language: str) -> None:
    assert requested_predicates(query, language, vector=shipped.vector(query)).names == CORE


@pytest.mark.parametrize(
    ("question", "language", "does"), table(__file__, "a_follow_up_cannot_be_understood_alone")
)
def test_a_follow_up_cannot_be_understood_alone(
    shipped: Shipped, question: str, language: str, *, does: bool
) -> None:
    assert leans(question, language, shipped.vector(question)) == does
