"""Selects the title of a text: its first sentence that is no greeting, thanks or small talk."""

import re
from functools import lru_cache
from itertools import islice
from typing import Final

from ricordo.language.data_files import LANGUAGES, WordSets, either, read_table
from ricordo.language.document import Document
from ricordo.language.text import excerpt
from ricordo.language.tokenization import words_of

TITLE_LENGTH: Final = 80  # characters
_EDGES: Final = " \t\n.,;:!?…-–—"
# "Ciao Marco, …": at most this many words lead up to the comma.
_LONGEST_GREETING: Final = 5
_LONGEST_SMALL_TALK: Final = 80  # characters
_COMMA: Final = re.compile(r"[,!:–—-]\s+")


class _Openings(WordSets):
    sentences: re.Pattern[str]


@lru_cache(maxsize=1)
def _openings() -> _Openings:
    tables = [read_table("openings", language) for language in LANGUAGES]
    return _Openings(
        words=frozenset(word for table in tables for word in table["words"].split()),
        first=frozenset(word for table in tables for word in table["first"].split()),
        sentences=re.compile(either(each for table in tables for each in table["sentences"])),
    )


def title_of(document: Document) -> str:
    """Return the first statement of a text, without a greeting at its head and its full stop.

    Greetings, code, addresses and markup are skipped if the text has anything else. At most 80 characters.
    """
    text, said = document.text, document.visible
    if not any(map(str.isalnum, said.text)):
        said = document.with_text(text.replace("`", " "))
    statement = next((each for each in said.sentences if not only_greets(each)), None)
    first = next(iter(said.sentences), "") if statement is None else _without_greeting(statement)
    first = first or text
    return excerpt(first.rstrip(" .;,:") or first, TITLE_LENGTH)


def _without_greeting(sentence: str) -> str:
    comma = _COMMA.search(sentence)
    if comma is None or not only_greets(sentence[: comma.start()]):
        return sentence
    rest = sentence[comma.end() :]
    return rest[:1].upper() + rest[1:] if any(map(str.isalnum, rest)) else sentence


def only_greets(sentence: str) -> bool:
    """Return whether a sentence greets, thanks or agrees, perhaps somebody by name, and says no more."""
    bare = sentence.strip(_EDGES)
    if len(bare) > _LONGEST_SMALL_TALK:
        return False
    bare = bare.replace("\u2019", "'")
    said = [word.written for word in islice(words_of(bare, "en"), _LONGEST_GREETING + 1)]
    if not said:
        return True
    openings, word = _openings(), said[0].lower()
    if word.partition("'")[0] in openings.first and openings.sentences.fullmatch(bare.lower()):
        return True
    if word not in openings.words or len(said) > _LONGEST_GREETING:
        return False
    return all(each.lower() in openings.words or each[0].isupper() for each in said)
