"""Word lists of both languages, spellings of chats, and a test for verb forms."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.lemmas import is_italian_verb
from ricordo.language.topics.word_classes import WordClass, word_class


def word_list(name: str) -> frozenset[str]:
    """Return a list of `fact_lists.toml`."""
    return frozenset(_table()[name].split())


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    return read_table("fact_lists")


NO_JOBS: Final = word_list("no_jobs")
SPORTS: Final = word_list("sports")
GAMBLES: Final = word_list("gambles")
TOOLS: Final = word_list("tools")
BRANDS: Final = word_list("brands")
NOT_FOR_A_LIVING: Final = word_list("not_for_a_living")
NO_ALLERGENS: Final = word_list("no_allergens")
IDIOMS: Final = frozenset(
    {"per capello", "da pelare", "da pigliare", "in gola", "to fry", "to flog", "to skin"}
)
"""What follows an animal in a figure of speech that tells of no pet: "un gatto per capello"."""
_LAUGHTER: Final = re.compile(
    r"a?(?:h[aeiou]){2,}h?|a?(?:ha|ah){2,}|(?:e?he){2,}|(?:ah|eh|ih){2,}|x+d+|lol+|lmf?ao+|rofl|😂|🤣|😹|😆"
)


def is_laughter(word: str) -> bool:
    """Whether a word, in lower case, is a laugh: "ahahah", "lol"."""
    return _LAUGHTER.fullmatch(word) is not None


_TOLD: Final = word_list("imperatives")
_NO_FINITE: Final = ("re", "rsi", *(f"{a}t{o}" for a in "aui" for o in "aeoi"))
"""Infinitives, which name what is done, and participles, which many nouns are spelt like: "passeggiate"."""
_POINTING: Final = re.compile(r"\w{2,}(?:me|te|ce|glie)(?:lo|la|li|le|ne)|\w{3,}[aei](?:mi|ci|gli)")
"""An Italian imperative with what it points at: "ricordamelo", "proponimi"."""


@lru_cache(maxsize=16_384)
def is_verb(word: str, language: str) -> bool:
    """Say whether a word in lower case begins a clause rather than names a thing; an infinitive names one."""
    if word in _TOLD:
        return True
    if language == "en":
        return word_class(word, "en") is WordClass.VERB and not word.endswith("ing")
    if word.endswith(_NO_FINITE):
        return False
    return _POINTING.fullmatch(word) is not None or is_italian_verb(word)


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
