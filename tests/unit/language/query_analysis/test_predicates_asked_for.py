"""Which predicates the words of a question ask for, in both languages."""

import pytest

from ricordo.language.data_files import read_table
from ricordo.language.query_analysis.sought import sought, telling
from ricordo.language.text_head import LANGUAGES
from ricordo.memory.facts import PREDICATES


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
def test_words_ask_for_a_predicate(query: str, language: str, predicate: str) -> None:
    found = sought(query, language)
    assert predicate in found.predicates
    assert not found.bare  # nothing is known of its meaning


@pytest.mark.parametrize(
    ("query", "language"),
    [("How was the concert?", "en"), ("Che tempo fa?", "it"), ("", "en"), ("Où?", "fr")],
)
def test_other_questions_ask_for_none(query: str, language: str) -> None:
    assert not sought(query, language).predicates


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_names_predicates_only_and_tells_how_each_is_told(language: str) -> None:
    for name in read_table("sought_facts", language):
        assert name in PREDICATES
        told = telling(name, language)
        assert told is not None
        assert len(told.sentences) > 1
        assert told.words
    assert telling("name", "fr") is None
