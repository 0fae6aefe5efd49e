"""Whom a question is about where it names them by ties to the user."""

import pytest

from ricordo.language.query_analysis.relatives import asked_relative

_ASKED = [
    ("en", "What's my sister's name?", ["sister"], "has_sibling", ""),
    ("en", "Who is my mum?", ["mum"], "has_parent", ""),
    ("en", "Where does my brother work?", ["brother"], "works_at", ""),
    ("en", "What does my sister's husband do?", ["sister", "husband"], "works_as", ""),
    ("en", "What does the husband of my sister do?", ["sister", "husband"], "works_as", ""),
    ("en", "Does my older sister like cats?", ["sister"], "likes dislikes", "cat"),
    ("en", "Where does my son study?", ["son"], "studies_at", ""),
    ("it", "Come si chiama mia sorella?", ["sorella"], "has_sibling", ""),
    ("it", "Dove lavora mio fratello maggiore?", ["fratello"], "works_at", ""),
    ("it", "Che lavoro fa il marito di mia sorella?", ["sorella", "marito"], "works_as", ""),
    ("it", "Come si chiama il cane della mia amica?", ["amica", "cane"], "has_pet", ""),
    ("it", "Dove è nata mia madre?", ["madre"], "born_in", ""),
]
_UNASKED = [
    ("en", "Where do I live?"),
    ("en", "Where did I meet my husband?"),
    ("en", "Who came with my sister?"),
    ("en", "Are my sister and my brother married?"),
    ("en", "Where are my keys?"),
    ("it", "Chi è venuto con mia sorella?"),
    ("it", "Dov'è la mia macchina?"),
    ("de", "Wo wohnt meine Schwester?"),
]


@pytest.mark.parametrize(("language", "question", "nouns", "predicates", "besides"), _ASKED)
def test_ties_and_what_is_asked_are_read(
    language: str, question: str, nouns: list[str], predicates: str, besides: str
) -> None:
    asked = asked_relative(question, language)
    assert asked is not None
    assert [tie.noun for tie in asked.ties] == nouns
    assert asked.requested.names == tuple(predicates.split())
    assert asked.requested.besides == frozenset(besides.split())


@pytest.mark.parametrize(("language", "question"), _UNASKED)
def test_questions_about_the_user_or_several_name_nobody(language: str, question: str) -> None:
    assert asked_relative(question, language) is None


def test_they_are_known_by_other_nouns_and_in_other_languages() -> None:
    mother = asked_relative("Where was my mother born?", "en")
    assert mother is not None
    assert mother.is_spoken_of("Mamma è a Napoli")
    assert mother.is_spoken_of("Mum called.")
    assert not mother.is_spoken_of("My father called.")
    assert not mother.is_spoken_of("The key is at my parents'.")
    assert "?has_parent/f/mamma" in mother.stored_ties()
    assert "has_parent/m/dad" not in mother.stored_ties()
    dog = asked_relative("What does my dog eat?", "en")
    assert dog is not None
    assert dog.is_spoken_of("Our labrador eats anything.")
    boss = asked_relative("Where does my boss live?", "en")
    assert boss is not None
    assert not boss.is_spoken_of("My neighbour lives in Reading.")
