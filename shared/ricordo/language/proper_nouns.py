"""Words that a text capitalises where grammar does not ask for it, and the names that they make."""

import re
from collections.abc import Iterator

from ricordo.language.document import Document
from ricordo.language.name_lists import LONGEST_NAME, is_given
from ricordo.language.text import LONGEST_WORD
from ricordo.language.tokenization import Token

_OPENING = frozenset('.!?…:\n"“«([-')
_JOINS = frozenset({" ", "'", "\u2019"})
_ELIDED = re.compile(r"(?<!\w)([^\W\d_]{1,8})['\u2019]$")
_ELIDED_IN_NAMES = frozenset({"D", "Sant"})
_WORD_BEFORE = re.compile(r"(?<!\w)([^\W\d_]+) $")
_POSSESSIVE = re.compile(r"['\u2019]s$")


def starts_sentence(text: str, position: int) -> bool:
    """Say whether a sentence, or something said or listed, begins at a place."""
    while position > 0 and text[position - 1] in " \t":
        position -= 1
    return position == 0 or text[position - 1] in _OPENING


def is_proper_noun(text: str, word: Token) -> bool:
    """Say whether a word of `text` is capitalised where grammar does not ask for it."""
    if len(word.written) < 2 or not word.written[0].isupper():
        return False
    return word.written.isupper() or not starts_sentence(text, word.start)


def proper_names(document: Document) -> Iterator[str]:
    """Yield the proper names in a text in normal form C, as written.

    Proper nouns that a space or an apostrophe joins are one name: "Rossi Costruzioni", "Sant'Orsola", "Maria
    D'Angelo". Where all is written in capitals, they tell nothing.
    """
    text, language = document.text, document.language
    if not any(letter.islower() for letter in text):
        return
    start = end = length = 0
    for word in document.words:
        if not is_proper_noun(text, word):
            continue
        begin = word.start - (_elided_before(text, word.start) if language == "it" else 0)
        gap = text[end : begin if begin > end else word.start]
        if 0 < length < LONGEST_NAME and gap in _JOINS:
            end, length = word.end, length + 1
            continue
        if length:
            yield _POSSESSIVE.sub("", text[start:end])
        start, end, length = _with_given_name(text, begin), word.end, 1
    if length:
        yield _POSSESSIVE.sub("", text[start:end])


def _elided_before(text: str, start: int) -> int:
    """Return how many characters before a place belong to its name: the "D'" of "D'Angelo".

    A sentence that begins with "L'" or "Dall'" is capitalised for that, and so is "Sant'" at its head.
    """
    match = _ELIDED.search(text, max(0, start - 9), start)
    if match is None or not match[1][0].isupper():
        return 0
    named = match[1] in _ELIDED_IN_NAMES or not starts_sentence(text, match.start())
    return len(match[0]) if named else 0


def _with_given_name(text: str, start: int) -> int:
    """Return where a name begins that may have a given name before it, at the head of a sentence."""
    match = _WORD_BEFORE.search(text, max(0, start - LONGEST_WORD), start)
    return match.start() if match is not None and match[1][0].isupper() and is_given(match[1]) else start
