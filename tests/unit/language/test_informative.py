"""What tells something, whoever asks something beside it, and what only asks, thanks, shrugs or offers."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences

from ricordo.language.annotations import Role
from ricordo.language.document import Document
from ricordo.language.informative import INFORMATIVE, informative
from ricordo.language.small_talk import has_content

HERE = Path(__file__).parent
TABLE = HERE / "informative.toml"
CONTENT = tomllib.loads(TABLE.read_text(encoding="utf-8"))


def is_memory(text: str, language: str, role: Role = Role.USER) -> bool:
    """Whether the text is a memory."""
    return informative(Document(text, language), role=role) >= INFORMATIVE


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "telling"))
def test_what_tells_something_is_a_memory(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if not is_memory(text, language)] == []


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "telling_nothing"))
def test_what_tells_nothing_is_none(language: str, texts: dict[str, None]) -> None:
    assert [text for text in ("", *texts) if is_memory(text, language)] == []


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE, "of_an_assistant"))
def test_assistant_refuses_offers_and_repeats_without_telling(
    language: str, expected: dict[str, bool]
) -> None:
    assert {text: is_memory(text, language, Role.ASSISTANT) for text in expected} == expected


@pytest.mark.parametrize(("language", "texts"), sentences(HERE / "small_talk.toml", "small_talk"))
def test_courtesy_and_greetings_tell_nothing(language: str, texts: dict[str, None]) -> None:
    assert [text for text in ("", *texts) if has_content(Document(text, language))] == []


@pytest.mark.parametrize(("language", "texts"), sentences(HERE / "small_talk.toml", "matter"))
def test_a_matter_tells_something(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if not has_content(Document(text, language))] == []


@pytest.mark.parametrize("text", ["Wo wohnt meine Tante?", "¿Dónde vive mi tía?"])
def test_of_other_languages_questions_are_known_by_their_mark(text: str) -> None:
    assert not is_memory(text, "de")
    assert is_memory(f"{text} Ich wohne in Graz.", "de")


@given(st.sampled_from(["it", "en"]), st.data())
def test_one_sentence_that_tells_is_enough_wherever_it_stands(language: str, data: st.DataObject) -> None:
    idle = st.sampled_from([one for one in CONTENT["telling_nothing"][language] if one.endswith(("?", "!"))])
    told = data.draw(st.sampled_from([one for one in CONTENT["telling"][language] if one.endswith(".")]))
    before, behind = data.draw(st.lists(idle, max_size=3)), data.draw(st.lists(idle, max_size=3))
    assert is_memory(" ".join([*before, told, *behind]), language)
    assert not any(is_memory(" ".join(some), language) for some in (before, behind))


@given(st.text(max_size=400), st.sampled_from(["it", "en", "de", ""]), st.sampled_from(Role))
def test_any_text_is_judged(text: str, language: str, role: Role) -> None:
    assert 0 <= informative(Document(text, language), role=role) <= 1
