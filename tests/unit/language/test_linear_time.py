"""Reading a text that is made to take long takes time in proportion to its length, whatever it repeats."""

import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.annotations import NEUTRAL
from ricordo.language.classification import memory_type
from ricordo.language.detection import identify
from ricordo.language.document import Document
from ricordo.language.facts.message_words import MessageWords
from ricordo.language.reading import UNREAD
from ricordo.language.small_talk import has_content
from ricordo.memory.enrichment import enrich

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
AT = datetime(2026, 2, 15, 12, tzinfo=UTC)
READERS: Final[dict[str, Callable[[Document], object]]] = {
    "facts": lambda read: [MessageWords(read), MessageWords(read.with_text(f"{read.text}?"))],
    "small_talk": has_content,
    "language": lambda read: identify(read.text),
    "type": lambda read: memory_type(read, UNREAD, NEUTRAL),
    "enrichment": enrich,
}


@pytest.mark.parametrize(
    ("reader", "part"), [(name, part) for name in CASES for part in CASES[name]["parts"]]
)
@pytest.mark.parametrize("language", ["it", "en"])
def test_reading_takes_linear_time(reader: str, part: str, language: str) -> None:
    read = READERS[reader]
    assert growth(lambda text: read(Document(text, language)), part, CASES[reader]["longest"]) < LINEAR
