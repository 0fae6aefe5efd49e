"""How words are written in chats: apostrophes left out, words shortened; each read as what it stands for."""

from collections.abc import Mapping
from typing import Final

from ricordo.language.facts.english import chats as english
from ricordo.language.facts.italian import chats as italian

Pieces = tuple[tuple[int, str], ...]
"""The tokens that a written word stands for: how many of its characters each takes, and the word it means."""


def cut(text: str) -> dict[str, Pieces]:
    """Read `written=a|b:meaning meaning` items: where the written word is cut, and what its parts mean."""
    found: dict[str, Pieces] = {}
    for item in text.split():
        parts, _, meaning = item.partition("=")
        pieces = parts.split("|")
        meant = meaning.split("+") if meaning else pieces
        found["".join(pieces)] = tuple((len(p), m) for p, m in zip(pieces, meant, strict=True))
    return found


_ENGLISH: Final = cut(english.SPELLINGS)
SPELLINGS: Final[Mapping[str, Mapping[str, Pieces]]] = {
    "en": {w: p for w, p in _ENGLISH.items() if len(p) > 1 or p[0][1] != w},
    "it": cut(italian.SPELLINGS),
}
HAVING: Final = italian.HAVING
