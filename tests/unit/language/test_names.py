"""Names that stand side by side: where one ends and the next begins."""

import pytest

from ricordo.language.names import mentioned_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I saw Anna's Paul", ["Anna", "Paul"]),
        ("I met Anna Bianchi yesterday", ["Anna Bianchi"]),
        ("I met Anna's sister", ["Anna"]),
    ],
)
def test_a_possessive_ends_a_name(text: str, names: list[str]) -> None:
    assert list(mentioned_names(text, "en")) == names


def test_a_name_has_four_words_at_the_most() -> None:
    assert all(len(name.split()) <= 4 for name in mentioned_names("Marco Bianchi " * 200, "it"))
