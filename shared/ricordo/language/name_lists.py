"""Names: given names, places and the words around them (`names.toml`)."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import WordSets, read_table, word_list
from ricordo.language.text import normalise
from ricordo.language.tokenization import Token

LONGEST_NAME = 4
"""Words of a name: more are several, or shouted."""
TITLES: Final = word_list("titles")
_MORE_GIVEN: Final = word_list("more_given_names")


@lru_cache(maxsize=1)
def load_names() -> WordSets:
    """Return the case-folded words of `names.toml`, read once."""
    return WordSets(**{key: frozenset(value.split()) for key, value in read_table("names").items()})


def is_given(word: str) -> bool:
    """Return whether a word, in any case, is a common given name and no other word."""
    return word.casefold() in load_names().given


def is_place(word: str) -> bool:
    """Return whether a word names a country or a town of the list."""
    return word.casefold() in load_names().places


def is_known_given(word: str) -> bool:
    """Return whether a word in lower case is a given name and no place."""
    return (is_given(word) or word in _MORE_GIVEN) and not is_place(word)


def whole_name(name: str, known: Iterable[str]) -> str:
    """Return the one known name of which `name` is the first word, else `name`."""
    names = {normalise(one).strip() for one in known}
    bearers = [one for one in names if one.casefold().split()[:1] == [name.casefold()]]
    return bearers[0] if len(bearers) == 1 else name


_OPENING = frozenset('.!?…:\n"“«([-')
_ELIDED = re.compile(r"(?<!\w)([^\W\d_]{1,8})['\u2019]$")
_IN_NAMES_ONLY = re.compile("[^L]|Sant")  # at the head of a sentence


def starts_sentence(text: str, position: int) -> bool:
    """Return whether a sentence, or something said or listed, begins at a place."""
    while position > 0 and text[position - 1] in " \t":
        position -= 1
    return position == 0 or text[position - 1] in _OPENING


def is_proper_noun(text: str, word: Token) -> bool:
    """Return whether a word of `text` is capitalised where grammar does not ask for it."""
    if len(word.written) < 2 or not word.written[0].isupper():
        return False
    return word.written.isupper() or not starts_sentence(text, word.start)


def elided_before(text: str, start: int) -> int:
    """Return how many characters before a place belong to its name: the "D'" of "D'Angelo".

    "L'" or "Dall'" at the head of a sentence is capitalised for that; "Sant'" and other letters, as in
    "O'Neill", are not.
    """
    match = _ELIDED.search(text, max(0, start - 9), start)
    if match is None or not match[1][0].isupper():
        return 0
    named = _IN_NAMES_ONLY.fullmatch(match[1]) or not starts_sentence(text, match.start())
    return len(match[0]) if named else 0
