"""Where a message has the words that somebody quotes it with."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ricordo.language.facts.names import Span

_APOSTROPHE: Final = "['’‘]"


def place_of(claimed: str, text: str) -> Span | None:
    """Return where `text` first has the words of `claimed`; None where it does not."""
    return next(places(claimed, text, 0, len(text)), None)


def places(claimed: str, text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield where `text[begin:end]` has the words of `claimed`, whole.

    Spelled the same, or else in any case; spacing and the kind of apostrophe do not count.
    """
    pattern = _pattern(unicodedata.normalize("NFC", claimed))
    if pattern is None:
        return
    for flags in (re.NOFLAG, re.IGNORECASE):
        found = [match.span() for match in re.compile(pattern, flags).finditer(text, begin, end)]
        if found:
            yield from found
            return


@lru_cache(maxsize=256)
def _pattern(phrase: str) -> str | None:
    if not any(letter.isalnum() for letter in phrase):
        return None
    words = (re.sub(_APOSTROPHE, lambda _: _APOSTROPHE, re.escape(word)) for word in phrase.split())
    return "".join((r"(?<!\w)", r"\s+".join(words), r"(?!\w)"))
