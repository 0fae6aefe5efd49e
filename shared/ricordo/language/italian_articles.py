"""Italian articles, and what prepositions make of them."""

import re
from collections.abc import Mapping
from typing import Final

_TAKES_LO = re.compile(r"s[^aeiouh\W]|z|x|y|gn|ps|pn")
_VOWELS: Final = frozenset("aeiouàèéìòù")
_ARTICLES: Final = ("il", "lo", "la", "l'", "i", "gli", "le")


def _joined(forms: str) -> Mapping[str, str]:
    return dict(zip(_ARTICLES, forms.split(), strict=True))


_JOINED: Final[Mapping[str, Mapping[str, str]]] = {
    "di": _joined("del dello della dell' dei degli delle"),
    "a": _joined("al allo alla all' ai agli alle"),
    "da": _joined("dal dallo dalla dall' dai dagli dalle"),
    "in": _joined("nel nello nella nell' nei negli nelle"),
}


def article_of(noun: str, gender: str, *, plural: bool = False) -> str:
    """Return the definite article before a noun.

    Args:
        noun: with what stands between it and its article, as it is written.
        gender: "f" or "m".
        plural: whether the noun is one.
    """
    vowel = noun[:1].casefold() in _VOWELS
    lo = _TAKES_LO.match(noun.casefold()) is not None
    if plural:
        return "le" if gender == "f" else "gli" if vowel or lo else "i"
    if vowel:
        return "l'"
    return "la" if gender == "f" else "lo" if lo else "il"


def with_article(preposition: str, article: str, noun: str) -> str:
    """Return a noun behind a preposition and an article, either of which may be empty: "dell'amico"."""
    if not article:
        return f"{preposition} {noun}".strip()
    before = _JOINED[preposition][article] if preposition else article
    return before + noun if before.endswith("'") else f"{before} {noun}"
