"""Tells what a bot says that memory already holds: answers that Ricordo wrote, as a bot passes them on.

They are known by the phrases of `context.toml` that they are made of.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document

_PLACEHOLDER: Final = re.compile(r"\\\{\w+\\\}")
_QUOTING: Final = ("answer_user", "answer_assistant", "answer_other")
_REMARKS: Final = ("since", "until", "disputed")
_LONGEST_DATE: Final = 40  # characters, with whoever spoke
_LONGEST_ANSWER: Final = 8_000  # characters; a full answer quotes five passages of 200 tokens


@lru_cache(maxsize=len(LANGUAGES))
def _answer_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a quotation up to its end, and of a sentence without its remarks."""
    phrases = read_table("context", language)
    quotes = (_pattern(phrases[name].partition("{what}")[0], rf".{{1,{_LONGEST_DATE}}}") for name in _QUOTING)
    closing = re.escape(phrases["answer_user"].rpartition("}")[2])
    remarks = "|".join(_pattern(phrases[name], r"\S+") for name in _REMARKS)
    longest_first = sorted(_fact_phrases(phrases), key=len, reverse=True)  # the most particular
    facts = "|".join(_pattern(each.rstrip("."), "(.+?)") for each in longest_first)
    return (
        re.compile(f"(?:{'|'.join(quotes)}).*{closing}\\s*$", re.DOTALL),
        re.compile(f"(?:{facts})(?:, (?:{remarks}))*\\.?"),
    )


def _fact_phrases(phrases: Mapping[str, Any]) -> Iterator[str]:
    yield from (phrases["answer_formerly"], phrases["nothing_about"])
    for name, table in phrases.items():
        if name.startswith("of_user"):
            yield from (each[:1].upper() + each[1:] for each in table.values())


def _pattern(phrase: str, gap: str) -> str:
    return _PLACEHOLDER.sub(lambda _: gap, re.escape(phrase))


def quotes_memory(text: str, language: str) -> bool:
    """Return whether a text ends by quoting what was said: "You said on 8 May 2023: ..."."""
    known = language in LANGUAGES and len(text) <= _LONGEST_ANSWER
    return known and _answer_patterns(language)[0].search(text) is not None


def told_fact(sentence: str, language: str) -> str:
    """Return what the user is told to be, have or like, as "Trieste"; "" where a sentence tells no fact."""
    found = _answer_patterns(language)[1].fullmatch(sentence.strip())
    return " ".join(filter(None, found.groups())) if found else ""


def repeats_memory(document: Document) -> bool:
    """Return whether all that a text says are answers of Ricordo."""
    if quotes_memory(document.text, document.language):
        return True
    if document.language not in LANGUAGES:
        return False
    parts = (document.text, *document.sentences)
    whole, *each = (told_fact(part, document.language) for part in parts)
    return whole != "" or all(each)
