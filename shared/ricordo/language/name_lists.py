"""Names: given names, places and the words around them (`names.toml`), and the names of known people."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from ricordo.language.data_files import WordSets, read_table, word_list
from ricordo.language.document import Document
from ricordo.language.text import LONGEST_WORD, normalise, stop_words
from ricordo.language.tokenization import Token

LONGEST_NAME = 4
"""Words of a name: more are several, or shouted."""
TITLES: Final = word_list("titles")
_FAMOUS: Final = word_list("famous_names")
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


def is_of_the_users_life(words: list[str]) -> bool:
    """Return whether a name (its words in lower case) is how people speak of somebody they know."""
    return words[0] in TITLES or (is_known_given(words[0]) and not is_of_the_world(words))


def is_of_the_world(words: list[str]) -> bool:
    """Say whether a name is how people speak of somebody they read of: in full, or by one that is famous."""
    surname = any(len(word.rstrip(".")) > 1 for word in words[1:])  # who is "Marco R." is known to the writer
    return words[0] not in TITLES and (surname or words[0] in _FAMOUS)


def is_known_given(word: str) -> bool:
    """Return whether a word in lower case is a given name and no place."""
    return (is_given(word) or word in _MORE_GIVEN) and not is_place(word)


# One list serves all messages of a user in turn.
@lru_cache(maxsize=32)
def lookup(names: tuple[str, ...]) -> "KnownNames":
    """Return what looks `names` up."""
    return KnownNames(names)


class KnownNames:
    """The names already known of, looked up by their first word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for name in sorted({normalise(name).strip() for name in names}):
            parts = tuple(name.casefold().split())
            if parts and len(parts[0]) > 1 and not parts[0].isdigit():
                self._by_first.setdefault(parts[0], []).append((parts, name))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def at(self, tokens: Sequence[Token], at: int) -> tuple[int, str]:
        """Return how many words a known name takes at a place, and the name; 0 when there is none."""
        for parts, name in self._by_first.get(tokens[at].folded, ()):
            said = tuple(token.folded for token in tokens[at : at + len(parts)])
            if said == parts and (len(parts) > 1 or self._meant(tokens[at])):
                return len(parts), name
        alone = tokens[at]
        # Half a name in lower case only where it is a given name: "rossi" may be a colour.
        if alone.folded in self._by_first and alone.folded in load_names().given and alone.written.islower():
            return int(self._meant(alone)), alone.written.title()
        return 0, ""

    def whole(self, name: str) -> str:
        """Return the one known name that begins with `name`, else `name`."""
        entries = self._by_first.get(name.casefold(), ())
        return entries[0][1] if len(entries) == 1 else name

    @staticmethod
    def _meant(token: Token) -> bool:
        ordinary = token.folded in load_names().also_words or any(
            token.folded in stop_words(language) for language in ("it", "en")
        )
        return token.written[:1].isupper() or not ordinary


_OPENING = frozenset('.!?…:\n"“«([-')
_JOINS = frozenset({" ", "'", "\u2019"})
_ELIDED = re.compile(r"(?<!\w)([^\W\d_]{1,8})['\u2019]$")
_IN_NAMES_ONLY = re.compile("[^L]|Sant")  # at the head of a sentence
_WORD_BEFORE = re.compile(r"(?<!\w)([^\W\d_]+) $")
_PART = re.compile(r"[\s'\u2019]+")
_POSSESSIVE = re.compile(r"['\u2019]s$")


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


def proper_names(document: Document) -> Iterator[str]:
    """Yield the proper names in a text in normal form C, as written."""
    text, language = document.text, document.language
    if not any(letter.islower() for letter in text):
        return
    start = end = length = 0
    for word in document.words:
        if not is_proper_noun(text, word):
            continue
        begin = word.start - (elided_before(text, word.start) if language == "it" else 0)
        gap = text[end : begin if begin > end else word.start]
        if 0 < length < LONGEST_NAME and gap in _JOINS:
            end, length = word.end, length + 1
            continue
        if length:
            yield _POSSESSIVE.sub("", text[start:end])
        start, end, length = _with_given_name(text, begin), word.end, 1
    if length:
        yield _POSSESSIVE.sub("", text[start:end])


def names_in(document: Document) -> list[str]:
    """Return the names in a text: given names, at the head of a sentence too, then other proper names.

    Of a name and a part of it, the whole.
    """
    capitals = (word.written for word in document.words if word.written[0].isupper())
    given = filter(is_given, (_POSSESSIVE.sub("", word) for word in capitals))
    proper = sorted(proper_names(document), key=lambda name: not is_given(name.split()[0]))
    return whole_names((*given, *proper))


def whole_names(names: Iterable[str]) -> list[str]:
    """Return names in order, each once, without those that are a part of another one."""
    parts = {name: frozenset(_PART.split(name.casefold())) for name in names}
    return [name for name in parts if not any(parts[name] < whole for whole in parts.values())]


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


def _with_given_name(text: str, start: int) -> int:
    """Return where a name begins that may have a given name before it, at the head of a sentence."""
    match = _WORD_BEFORE.search(text, max(0, start - LONGEST_WORD), start)
    return match.start() if match is not None and match[1][0].isupper() and is_given(match[1]) else start
