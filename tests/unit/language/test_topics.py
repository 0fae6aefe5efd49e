"""What messages are about, whether they tell anything, and which of them tell how something is done."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.annotations import NEUTRAL, MemoryType
from ricordo.language.classification import memory_type
from ricordo.language.document import Document
from ricordo.language.lemmas import noun
from ricordo.language.reading import UNREAD
from ricordo.language.small_talk import has_content
from ricordo.language.topics import topic_form, topic_key, topic_keys

HERE = Path(__file__).parent


def is_procedure(text: str, language: str) -> bool:
    """Whether the words alone tell how something is done."""
    return memory_type(Document(text, language), UNREAD, NEUTRAL) is MemoryType.PROCEDURAL


@pytest.mark.parametrize(("language", "said"), table(__file__, "a_thing_has_one_key_whatever_its_form"))
def test_a_thing_has_one_key_whatever_its_form(language: str, said: list[str]) -> None:
    assert set.intersection(*(set(topic_keys(each, language)) for each in said))


def test_a_phrase_is_found_by_each_of_its_words_and_a_word_by_no_phrase() -> None:
    dress = topic_keys("wedding dress", "en")
    assert {
        topic_key(said, "en") for said in ("wedding", "Weddings", "dresses", "the wedding dresses")
    } <= dress
    assert topic_key("wedding dress", "en") not in topic_keys("wedding", "en")
    assert topic_key("gli esami", "it") in topic_keys("esame di statistica", "it")
    assert topic_key("Esami di Statistica", "it") in topic_keys("esame di statistica", "it")


@pytest.mark.parametrize(("said", "language", "form"), table(__file__, "forms"))
def test_a_topic_is_shown_without_what_stands_around_it(said: str, language: str, form: str) -> None:
    assert topic_form(said, language) == form


def test_forms_of_one_word_are_one_topic() -> None:
    assert topic_key("Gatti neri", "it") == topic_key("gatto nero", "it")


@given(st.text(max_size=300), st.sampled_from(["it", "en", "de", ""]))
def test_a_topic_keeps_its_form(said: str, language: str) -> None:
    form = topic_form(said, language)
    assert topic_form(form, language) == form


@given(st.text(st.characters(categories=["Ll"]), max_size=20), st.sampled_from(["it", "en", "de"]))
def test_any_word_has_a_singular(word: str, language: str) -> None:
    assert noun(word, language) or not word


@pytest.mark.parametrize(("language", "texts"), sentences(HERE / "procedures.toml", "procedures"))
def test_steps_are_procedures(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if not is_procedure(text, language)] == []


@pytest.mark.parametrize(("language", "texts"), sentences(HERE / "procedures.toml", "events"))
def test_what_happened_is_no_procedure(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if is_procedure(text, language)] == []


TABLE = Path(__file__).with_name("small_talk.toml")


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "small_talk"))
def test_courtesy_and_greetings_tell_nothing(language: str, texts: dict[str, None]) -> None:
    assert [text for text in ("", *texts) if has_content(Document(text, language))] == []


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "matter"))
def test_a_matter_tells_something(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if not has_content(Document(text, language))] == []
