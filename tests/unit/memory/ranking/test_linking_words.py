"""By which words one memory leads to another."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.ranking.linking_words import linking_words, words_of_memory


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("We moved her into Maple Court on Monday.", "where is she?", {"maple": 1.0, "court": 1.0}),
        ("my boss named his boat tramontana", "what happened to my boss's boat?", {"tramontana": 0.5}),
        ("La barca si chiama Tramontana.", "cos'è successo alle barche?", {"tramontana": 1.0}),
        ("Zanon moves in September.", "who?", {"zanon": 1.0}),  # unknown to the dictionary
        ("Cheese was sold out.", "why?", {"cheese": 0.5}),  # a capital for the sentence
        ("WE LOVE PESTO", "what?", {"pesto": 0.5}),
        ("the and of", "what?", {}),
        ("", "what?", {}),
        ("🙂 ... !!!", "", {}),
    ],
)
def test_names_lead_and_words_of_the_question_do_not(
    text: str, question: str, expected: Mapping[str, float]
) -> None:
    found = linking_words(text, (), question)
    assert {word: found.get(word) for word in expected} == expected
    assert all(share < 1 for word, share in found.items() if word not in expected)


def test_names_of_people_lead_unless_the_question_has_them() -> None:
    assert linking_words("", ("Ada", "Bo"), "what did Ada do?") == {"bo": 1.0}
    assert linking_words("", ("Ada", "Bo"), "what did she do?", ("Bo",)) == {"ada": 1.0}


@given(st.text(max_size=200), st.text(max_size=60))
def test_only_words_of_the_text_that_the_question_lacks_lead(text: str, question: str) -> None:
    found = linking_words(text, (), question)
    assert all(word in text.casefold() for word in found)
    assert found.keys().isdisjoint(words_of_memory(question, ()))
    assert all(0 < share <= 1 for share in found.values())


def test_a_text_that_is_not_known_is_found_by_whom_it_is_about() -> None:
    assert {"anna", "rossi"} <= {*words_of_memory("", ("Anna Rossi",))}
