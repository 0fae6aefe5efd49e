"""Who is mentioned: names of people in a text, told by capitals, cues and lists of given names.

Precision before completeness: an unknown capital is a person only beside a cue ("con", "with", "si chiama");
a place, a weekday or an acronym never is.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from operator import itemgetter

from ricordo.domain.stop_words import stop_words
from ricordo.domain.text import LONGEST_WORD, Word, located_words, normalise

MAX_NAMES = 16
_POSSESSIVES = frozenset({"mia"})  # those that are given names too
_EXCLAIMED = frozenset({"mamma", "casa", "colpa", "madonna"})
_OPENING = frozenset('.!?…:\n"“«([-')
_JOINS = frozenset({" ", "'", "\u2019"})
_ELIDED = re.compile(r"(?<!\w)([^\W\d_]{1,8})['\u2019]$")
_ELIDED_IN_NAMES = frozenset({"D", "Sant"})
_WORD_BEFORE = re.compile(r"(?<!\w)([^\W\d_]+) $")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_LONGEST_NAME = 4  # words


@dataclass(frozen=True, slots=True)
class NameLists:
    """Case-folded words: given names, those that are also words, places, other capitals, cues by language."""

    given: frozenset[str]
    also_words: frozenset[str]
    places: frozenset[str]
    never: frozenset[str]
    cues: dict[str, frozenset[str]]


@lru_cache(maxsize=1)
def load_names() -> NameLists:
    """Return the lists of `lexicon/names.toml`, read once."""
    table = tomllib.loads(resources.files("ricordo.domain.lexicon").joinpath("names.toml").read_text("utf-8"))
    lists = {key: frozenset(str(value).split()) for key, value in table.items()}
    return NameLists(
        given=lists["given"],
        also_words=lists["also_words"],
        places=lists["places"],
        never=lists["never"],
        cues={"it": lists["cues_it"], "en": lists["cues_en"]},
    )


def is_given(word: str) -> bool:
    """Say whether a word, in any case, is a common given name and no other word."""
    return word.casefold() in load_names().given


def is_place(word: str) -> bool:
    """Say whether a word names a country or a town of the list."""
    return word.casefold() in load_names().places


def mentioned_names(text: str, language: str, known_names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of people mentioned in `text`, in order, each once, as written or as known.

    Args:
        text: what was said.
        language: for the cues; without any, given and known names are still found.
        known_names: those of this user's people; they are found in lower case too, and a first name that only
            one of them begins with becomes that whole name.
    """
    text = normalise(text)
    tokens = located_words(text, language)
    known = _known(tuple(known_names))
    found: dict[str, str] = {}
    at = 0
    while at < len(tokens) and len(found) < MAX_NAMES:
        if _possesses(text, tokens, at, language):
            at += 1
            continue
        length, name = max(known.at(tokens, at), _name_at(text, tokens, at, language), key=itemgetter(0))
        name = known.whole(name)
        if length:
            found.setdefault(name.casefold(), name)
        at += length or 1
    return tuple(found.values())


# One list serves all messages of a user in turn.
@lru_cache(maxsize=32)
def _known(names: tuple[str, ...]) -> "_Known":
    return _Known(names)


class _Known:
    """The names already known of, looked up by their first word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for name in sorted({normalise(name).strip() for name in names}):
            parts = tuple(name.casefold().split())
            if parts and len(parts[0]) > 1 and not parts[0].isdigit():
                self._by_first.setdefault(parts[0], []).append((parts, name))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def at(self, tokens: Sequence[Word], at: int) -> tuple[int, str]:
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
    def _meant(token: Word) -> bool:
        ordinary = token.folded in load_names().also_words or any(
            token.folded in stop_words(language) for language in ("it", "en")
        )
        return token.written[:1].isupper() or not ordinary


def _name_at(text: str, tokens: Sequence[Word], at: int, language: str) -> tuple[int, str]:
    first = tokens[at]
    if not _is_name(text, tokens, at, language):
        return 0, ""
    parts = [first.written]
    for before, word in zip(tokens[at:], tokens[at + 1 :], strict=False):
        if text[before.end : word.start] != " " or not _is_capital(word) or _is_other(word):
            break
        parts.append(word.written)
    return len(parts), " ".join(parts)


def _is_name(text: str, tokens: Sequence[Word], at: int, language: str) -> bool:
    word = tokens[at]
    if not _is_capital(word):
        return False
    names = load_names()
    cued = at > 0 and tokens[at - 1].folded in names.cues.get(language, frozenset())
    if word.folded in names.also_words:
        starts = _starts_sentence(text, word.start)
        return cued or (word.folded in names.given and not starts and word.folded not in names.never)
    if _is_other(word):
        return False
    return word.folded in names.given or (cued and word.folded not in stop_words(language))


def _possesses(text: str, tokens: Sequence[Word], at: int, language: str) -> bool:
    """Say whether a capital "Mia" is the Italian possessive: "Mia sorella arriva", but "Mia ha chiamato"."""
    word = tokens[at]
    if language != "it" or word.folded not in _POSSESSIVES:
        return False
    if at and tokens[at - 1].folded in _EXCLAIMED and word.start == tokens[at - 1].end + 1:
        return True
    if at + 1 == len(tokens) or text[word.end : tokens[at + 1].start] != " ":
        # Nothing follows that it could possess: at the head of a sentence somebody is called by name.
        return at > 0 and word.written.islower()
    following = tokens[at + 1].folded
    kin = following in load_names().cues["it"]
    return kin or (_starts_sentence(text, word.start) and following not in stop_words("it"))


def _starts_sentence(text: str, position: int) -> bool:
    while position > 0 and text[position - 1] in " \t":
        position -= 1
    return position == 0 or text[position - 1] in _OPENING


def _is_capital(word: Word) -> bool:
    return len(word.written) > 1 and word.written[0].isupper() and not word.written.isupper()


def _is_other(word: Word) -> bool:
    names = load_names()
    return word.folded in names.places or word.folded in names.never


def proper_nouns(text: str, language: str) -> Iterator[Word]:
    """Yield the words of `text` that are capitalised where grammar does not ask for it."""
    for word in located_words(text, language):
        if len(word.written) < 2 or not word.written[0].isupper():
            continue
        if word.written.isupper() or not _starts_sentence(text, word.start):
            yield word


def proper_names(text: str, language: str) -> Iterator[str]:
    """Yield what `text`, which must be in normal form C, calls by name, as it is written there.

    Proper nouns that a space or an apostrophe joins are one name: "Rossi Costruzioni", "Sant'Orsola", "Maria
    D'Angelo". Where all is written in capitals, they tell nothing.
    """
    if not any(letter.islower() for letter in text):
        return
    start = end = length = 0
    for word in proper_nouns(text, language):
        begin = word.start - (_elided_before(text, word.start) if language == "it" else 0)
        gap = text[end : begin if begin > end else word.start]
        if 0 < length < _LONGEST_NAME and gap in _JOINS:
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
    named = match[1] in _ELIDED_IN_NAMES or not _starts_sentence(text, match.start())
    return len(match[0]) if named else 0


def _with_given_name(text: str, start: int) -> int:
    """Return where a name begins that may have a given name before it, at the head of a sentence."""
    match = _WORD_BEFORE.search(text, max(0, start - LONGEST_WORD), start)
    return match.start() if match is not None and match[1][0].isupper() and is_given(match[1]) else start
