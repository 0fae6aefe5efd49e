"""What messages are about, and which of them tell how something is done."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.annotations import NEUTRAL, MemoryType
from ricordo.language.classification import memory_type
from ricordo.language.document import Document
from ricordo.language.lemmas import noun
from ricordo.language.topics import topic_key, topic_keys, topics

HERE = Path(__file__).parent


@pytest.mark.parametrize(("language", "said"), table(__file__, "a_thing_has_one_key_whatever_its_form"))
def test_a_thing_has_one_key_whatever_its_form(language: str, said: list[str]) -> None:
    keys = [{topic_key(topic, language) for topic in topics(Document(each, language))} for each in said]
    assert len(set.intersection(*keys)) == 1


def test_a_phrase_is_found_by_each_of_its_words_and_a_word_by_no_phrase() -> None:
    dress = topic_keys("wedding dress", "en")
    assert {
        topic_key(said, "en") for said in ("wedding", "Weddings", "dresses", "the wedding dresses")
    } <= dress
    assert topic_key("wedding dress", "en") not in topic_keys("wedding", "en")
    assert topic_key("gli esami", "it") in topic_keys("esame di statistica", "it")
    assert topic_key("Esami di Statistica", "it") in topic_keys("esame di statistica", "it")


@pytest.mark.parametrize(("language", "expected"), sentences(HERE / "topics.toml"))
def test_what_a_message_is_about(language: str, expected: dict[str, list[str]]) -> None:
    assert {text: sorted(topics(Document(text, language))) for text in expected} == expected


def test_forms_of_one_word_are_one_topic() -> None:
    assert topics(Document("Il gatto nero e i gatti del vicino", "it"))[0] == "gatto"
    assert topic_key("Gatti neri", "it") == topic_key("gatto nero", "it")


@given(st.text(max_size=300), st.sampled_from(["it", "en", "de", ""]))
def test_every_topic_has_a_key_and_keeps_it(said: str, language: str) -> None:
    found = topics(Document(said, language))
    keys = [topic_key(topic, language) for topic in found]
    assert len(found) <= 5
    assert "" not in keys
    assert len(set(keys)) == len(keys)


@given(st.text(st.characters(categories=["Ll"]), max_size=20), st.sampled_from(["it", "en", "de"]))
def test_any_word_has_a_singular(word: str, language: str) -> None:
    assert noun(word, language) or not word


@pytest.mark.parametrize(("language", "texts"), sentences(HERE / "procedures.toml", "procedures"))
def test_steps_are_procedures(language: str, texts: dict[str, None]) -> None:
    assert {memory_type(Document(text, language), NEUTRAL) for text in texts} == {MemoryType.PROCEDURAL}


@pytest.mark.parametrize(("language", "texts"), sentences(HERE / "procedures.toml", "events"))
def test_what_happened_is_no_procedure(language: str, texts: dict[str, None]) -> None:
    assert [
        text for text in texts if memory_type(Document(text, language), NEUTRAL) is MemoryType.PROCEDURAL
    ] == []
