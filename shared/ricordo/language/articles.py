"""Articles before nouns, and what prepositions make of them: the data of `articles.toml`."""

import re
from functools import lru_cache
from typing import NamedTuple

from ricordo.language.data_files import LANGUAGES, read_table


class _Articles(NamedTuple):
    definite: list[tuple[str, str, re.Pattern[str], str]]
    joined: dict[str, dict[str, str]]


@lru_cache(maxsize=len(LANGUAGES))
def _articles(language: str) -> _Articles:
    table = read_table("articles", language)
    return _Articles(
        [(gender, number, re.compile(begin), form) for gender, number, begin, form in table["definite"]],
        {name: dict(pair.split("=") for pair in forms.split()) for name, forms in table["joined"].items()},
    )


def article_of(noun: str, gender: str, language: str, *, plural: bool = False) -> str:
    """Return the definite article before a noun; "" where the language has none.

    Args:
        noun: with what is between it and its article, as it is written.
        gender: "f" or "m".
        language: ISO 639-1, of `LANGUAGES`.
        plural: whether the noun is in the plural.
    """
    genders, numbers = {"", "f" if gender == "f" else "m"}, {"", "plural" if plural else "singular"}
    for of_gender, of_number, begin, form in _articles(language).definite:
        if of_gender in genders and of_number in numbers and begin.match(noun.casefold()):
            return form
    return ""


def with_article(preposition: str, article: str, noun: str, language: str) -> str:
    """Return a noun behind a preposition and an article, either of which may be empty: "dell'amico"."""
    joined = _articles(language).joined.get(preposition, {}).get(article)
    before = joined or f"{preposition} {article}".strip()
    return before + noun if before.endswith("'") else f"{before} {noun}".strip()
