"""Where a text begins to say something: behind its greetings, thanks and small talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import LANGUAGES, read_table

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_EDGES: Final = " \t\n.,;:!?…-–—"
# "Ciao Marco, …": at most this many words lead up to the comma.
_LONGEST_GREETING: Final = 5
_LONGEST_SMALL_TALK: Final = 80  # characters
_COMMA: Final = re.compile(r"[,!:–—-]\s+")


@dataclass(frozen=True, slots=True)
class _Openings:
    words: frozenset[str]
    first: frozenset[str]
    sentences: re.Pattern[str]


@lru_cache(maxsize=1)
def _openings() -> _Openings:
    tables = [read_table("openings", language) for language in LANGUAGES]
    return _Openings(
        frozenset(word for table in tables for word in table["words"].split()),
        frozenset(word for table in tables for word in table["first"].split()),
        re.compile("|".join(f"(?:{each})" for table in tables for each in table["sentences"])),
    )


def first_telling(sentences: Sequence[str]) -> str:
    """Return the first of `sentences` that says something, without a greeting at its head; else the first.

    Args:
        sentences: of one text, in order; none gives an empty string.
    """
    telling = next((each for each in sentences if not only_opens(each)), None)
    if telling is None:
        return sentences[0] if sentences else ""
    return _without_greeting(telling)


def _without_greeting(sentence: str) -> str:
    comma = _COMMA.search(sentence)
    if comma is None or not only_opens(sentence[: comma.start()]):
        return sentence
    rest = sentence[comma.end() :]
    return rest[:1].upper() + rest[1:] if _WORD.search(rest) else sentence


def only_opens(sentence: str) -> bool:
    """Say whether a sentence greets, thanks or agrees, perhaps somebody by name, and says no more."""
    bare = sentence.strip(_EDGES)
    if len(bare) > _LONGEST_SMALL_TALK:
        return False
    bare = bare.replace("\u2019", "'")
    first = _WORD.search(bare)
    if first is None:
        return True
    openings, word = _openings(), first[0].lower()
    if word.partition("'")[0] in openings.first and openings.sentences.fullmatch(bare.lower()):
        return True
    return word in openings.words and _greets(_WORD.findall(bare), openings)


def _greets(words: Sequence[str], openings: _Openings) -> bool:
    if len(words) > _LONGEST_GREETING:
        return False
    return all(word.lower() in openings.words or word[0].isupper() for word in words)
