"""How words are written in chats: apostrophes left out, words shortened; each read as what it stands for."""

from collections.abc import Mapping
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table

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


_TABLES: Final = {language: read_table("fact_spellings", language) for language in LANGUAGES}
SPELLINGS: Final[Mapping[str, Mapping[str, Pieces]]] = {
    language: {
        written: pieces
        for written, pieces in cut(table["spellings"]).items()
        if len(pieces) > 1 or pieces[0][1] != written
    }
    for language, table in _TABLES.items()
}
HAVING: Final = frozenset(word for table in _TABLES.values() for word in table["having"].split())
