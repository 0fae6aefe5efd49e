"""Which predicates a question asks for, in both languages, and whether it holds anything else."""

import pytest

from ricordo.domain.analysis.sought import CORE, LANGUAGES, sought, telling
from ricordo.domain.facts import PREDICATES
from ricordo.domain.tables import read_table


@pytest.mark.parametrize(
    ("query", "language", "predicate"),
    [
        ("Come mi chiamo?", "it", "name"),
        ("what's my name", "en", "name"),
        ("Dove vivo adesso?", "it", "lives_in"),
        ("Where do we live?", "en", "lives_in"),
        ("Che lavoro faccio?", "it", "works_as"),
        ("Where do I work these days?", "en", "works_at"),
        ("Abbiamo animali in casa?", "it", "has_pet"),
        ("Do I have any pets?", "en", "has_pet"),
        ("Ho qualche allergia?", "it", "allergic_to"),
        ("what am I allergic to", "en", "allergic_to"),
        ("Quanti figli ho?", "it", "has_child"),
        ("How many kids do we have?", "en", "has_child"),
        ("Sono sposato?", "it", "partner"),
        ("Who’s my husband?", "en", "partner"),
    ],
)
def test_a_question_about_oneself_asks_for_a_predicate_alone(
    query: str, language: str, predicate: str
) -> None:
    found = sought(query, language)
    assert predicate in found.predicates
    assert found.bare


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("Dove abita Anna?", "it"),
        ("Quando è morto il mio cane?", "it"),
        ("What did my sister say about the flat?", "en"),
        ("Where did we live before the divorce?", "en"),
    ],
)
def test_a_question_that_says_more_is_searched_for_by_its_own_words(query: str, language: str) -> None:
    assert not sought(query, language, names=("Anna",) if "Anna" in query else ()).bare


def test_a_time_is_no_other_thing() -> None:
    assert sought("Cosa ho in programma a marzo?", "it", time="a marzo").bare
    assert not sought("Cosa ho in programma a marzo?", "it").bare


@pytest.mark.parametrize("query", ["What do you know about me?", "Cosa sai di me?"])
def test_oneself_as_a_whole_asks_for_the_core(query: str) -> None:
    assert sought(query, "it" if query.startswith("Cosa") else "en").predicates == CORE


@pytest.mark.parametrize(
    ("query", "language"),
    [("How was the concert?", "en"), ("Che tempo fa?", "it"), ("", "en"), ("Où?", "fr")],
)
def test_other_questions_ask_for_none(query: str, language: str) -> None:
    assert not sought(query, language).predicates


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_names_predicates_only_and_tells_how_each_is_told(language: str) -> None:
    for name in read_table("sought")[language]:
        assert name in PREDICATES
        told = telling(name, language)
        assert told is not None
        assert len(told.sentences) > 1
        assert told.words
    assert telling("name", "fr") is None
