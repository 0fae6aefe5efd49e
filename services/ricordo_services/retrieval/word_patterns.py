"""Regular expressions that find words in stored texts, in any case and with or without accents."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Final

from ricordo.messages.errors import ErrorCode
from ricordo.runtime.replies import RequestError

_MARKS: Final = re.compile("[\u0300-\u036f]")
_MAX_WORDS: Final = 16  # of a cache of 32
_LETTERS: Final = (range(0x41, 0x5B), range(0xC0, 0x530), range(0x1E00, 0x2000))
"""Code points of letters with cases or accents: Latin, Greek, Cyrillic, Armenian."""


def word_patterns(text: str) -> list[str]:
    """Return a regular expression of PostgreSQL for each word of a text; a text without words is one pattern.

    A letter matches all forms that are the same without case and accents. The stored texts are left as they
    are: normalising each while searching takes several times as long.

    Raises:
        RequestError: there are more words than PostgreSQL keeps compiled patterns for.
    """
    words = list(dict.fromkeys(re.findall(r"\w+", _folded(text))))
    if len(words) > _MAX_WORDS:
        raise RequestError(ErrorCode.INVALID_REQUEST, f"text must have at most {_MAX_WORDS} words", "text")
    return [rf"(^|\W){''.join(map(_letter, word))}(\W|$)" for word in words] or [re.escape(text)]


def _folded(text: str) -> str:
    """Return a text without accents and in lower case, letter by letter, as PostgreSQL lowers it."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return "".join(letter.lower() for letter in plain)


def _letter(letter: str) -> str:
    forms = _forms().get(letter)
    return letter if forms is None else f"[{letter}{forms}]"


@cache
def _forms() -> Mapping[str, str]:
    """Return the other forms of each letter."""
    forms: defaultdict[str, str] = defaultdict(str)
    for letter in map(chr, chain(*_LETTERS)):
        folded = _folded(letter)
        if len(folded) == 1 and folded != letter:
            forms[folded] += letter
    return forms
