"""What is more than thanks, greetings and applause."""

from pathlib import Path

import pytest
from tests.fixtures.sentence_tables import sentences

from ricordo.language.document import Document
from ricordo.language.small_talk import has_content

TABLE = Path(__file__).with_name("small_talk.toml")


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "small_talk"))
def test_courtesy_and_greetings_tell_nothing(language: str, texts: dict[str, None]) -> None:
    assert [text for text in ("", *texts) if has_content(Document(text, language))] == []


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "matter"))
def test_a_matter_tells_something(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if not has_content(Document(text, language))] == []
