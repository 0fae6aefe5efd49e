"""Which grammar reads a message."""

import re
from collections.abc import Mapping
from typing import Final

from ricordo.language.document import Document
from ricordo.language.facts.grammar import Grammar

_WORDS: Final = re.compile(r"\w+'?")
_SAMPLE: Final = 2_000
"""Characters that are looked at."""
_OVERRULED: Final = 3
"""Signs of another language that outweigh a stated one of which there is none."""


def recognise(document: Document, grammars: Mapping[str, Grammar]) -> Grammar | None:
    """Return the grammar of a text, or None when it is in a language that has none.

    The stated language is believed unless nothing in the text speaks for it and much for the other one.
    """
    stated = grammars.get(document.language.lower()[:2])
    if document.language and stated is None:
        return None
    words = _WORDS.findall(document.text[:_SAMPLE].replace("’", "'").lower())
    signs = {
        code: sum(word in grammar.signs or word.rstrip("'") in grammar.signs for word in words)
        for code, grammar in grammars.items()
    }
    likeliest = max(signs, key=lambda code: signs[code])
    if stated is None:
        return grammars[likeliest] if signs[likeliest] else None
    return grammars[likeliest] if not signs[stated.code] and signs[likeliest] >= _OVERRULED else stated
