"""The album's words: the same in both languages, and there for whatever a page or template names."""

import re
from pathlib import Path

import pytest

from ricordo_services import album
from ricordo_services.album.texts import LANGUAGES, Texts, language_of

FOLDER = Path(next(iter(album.__path__)))
_NAMED = re.compile(r"""\bt\(\s*"([a-z_]+\.[a-z_0-9]+)"\s*[,)]""")


def names_in(table: object, above: str = "") -> set[str]:
    """Return the dotted names of all texts."""
    if not isinstance(table, dict) or "other" in table:
        return {above}
    return {name for key, value in table.items() for name in names_in(value, f"{above}.{key}".strip("."))}


def test_both_languages_have_the_same_texts() -> None:
    english, italian = (names_in(Texts(language)._words) for language in LANGUAGES)
    assert english ^ italian == set()


@pytest.mark.parametrize("file", sorted([*FOLDER.rglob("*.html"), *FOLDER.rglob("*.py")]), ids=str)
def test_every_text_that_is_named_is_there(file: Path) -> None:
    known = names_in(Texts("en")._words)
    assert set(_NAMED.findall(file.read_text("utf-8"))) - known == set()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("it-IT,it;q=0.9,en;q=0.8", "it"),
        ("de,en;q=0.5,it;q=0.7", "it"),
        ("fr", "en"),
        ("", "en"),
        ("it;q=x", "it"),
    ],
)
def test_the_language_of_a_browser(accepted: str, language: str) -> None:
    assert language_of(accepted) == language


def test_italian_dates_take_the_apostrophe() -> None:
    assert Texts("it")("facts.since", day="11 novembre 2026") == "dall’11 novembre 2026"
    assert Texts("it")("facts.since", day="1 agosto 2026") == "dal 1 agosto 2026"
