"""Finds names of people in a text by capitals, cues and lists of given names."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter, itemgetter

from ricordo.language.document import Document
from ricordo.language.lemmas import is_italian_verb, lemma
from ricordo.language.name_lists import (
    LONGEST_NAME,
    KnownNames,
    NameLists,
    is_given,
    is_place,
    load_names,
    lookup,
    starts_sentence,
)
from ricordo.language.text import stop_words
from ricordo.language.tokenization import APOSTROPHES, Token

__all__ = ["MAX_NAMES", "NameLists", "is_given", "is_place", "load_names", "mentioned_names"]
MAX_NAMES = 16
_POSSESSIVES = frozenset({"mia"})  # those that are given names too
_EXCLAIMED = frozenset({"mamma", "casa", "colpa", "madonna"})
_WITHIN = frozenset({" ", "-"})
_AFTER_CUES = frozenset({" ", ". ", ": ", "'", "\u2019"})
_FOLDED = attrgetter("folded")
_AFTER_SAINTS = frozenset({" ", ". ", "'", "\u2019"})
_SPEAKERS = frozenset({"i", "io"})
_BEING = {
    "en": frozenset("is was has had isn't wasn't hasn't".split()),
    "it": frozenset("è era ha aveva".split()),
}
_AND = frozenset({"e", "ed", "and", "&"})
_CONTRACTED = frozenset(
    "it's he's she's that's what's who's there's here's let's where's how's when's why's name's".split()
)
# "Hope, love and faith"
_FOLLOWS_A_LIST = frozenset({"love"})


def mentioned_names(document: Document, known_names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of people mentioned in a text, in order, each once, as written or as known.

    Args:
        document: in a language without cues only given and known names are found.
        known_names: those of this user's people; they are found in lower case too, and a first name that only
            one of them begins with becomes that whole name.
    """
    visible, language = document.visible, document.language
    tokens = _without_possessives(visible)
    known = lookup(tuple(known_names))
    places = _places(tokens, known, language)
    if not places:
        return ()
    reader = _Reader(visible.text, tokens, language)
    found: dict[str, str] = {}
    past = 0
    for at in places:
        if at < past or reader.possesses(at) or reader.is_saint(at):
            continue
        length, name = max(known.at(tokens, at), reader.name_at(at), key=itemgetter(0))
        if length:
            past = at + length
            name = known.whole(name)
            found.setdefault(name.casefold(), name)
            if len(found) == MAX_NAMES:
                break
    return _whole(tuple(found.values())) if found else ()


def _places(tokens: Sequence[Token], known: KnownNames, language: str) -> list[int]:
    """Return where a name could begin. Most words are none: written small, or grammar, and of no list."""
    listed, firsts, grammar = load_names().listed, known.firsts, stop_words(language)
    return [
        at
        for at, (written, folded, _, _) in enumerate(tokens)
        if folded in listed or folded in firsts or not (written[0].islower() or folded in grammar)
    ]


def _whole(names: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out a first name that only one of the whole names of the same text begins with."""
    whole = [name.casefold() for name in names if " " in name]
    return (
        tuple(name for name in names if sum(each.startswith(f"{name.casefold()} ") for each in whole) != 1)
        if whole
        else names
    )


def _without_possessives(document: Document) -> Sequence[Token]:
    """Return the words of a text, English ones without their "'s": "Anna's dog" speaks of Anna."""
    if document.language == "it" or APOSTROPHES.isdisjoint(document.text):
        return document.words
    return [
        Token(token.written[:-2], token.folded[:-2], token.start, token.end)
        if token.folded.endswith("'s") and token.written[0].isupper() and token.folded not in _CONTRACTED
        else token
        for token in document.words
    ]


class _Reader:
    """Reads the names off the words of a text."""

    def __init__(self, text: str, tokens: Sequence[Token], language: str) -> None:
        self._text, self._tokens, self._language = text, tokens, language
        self._names = load_names()
        self.given = self._names.given
        self._cues = self._names.cues.get(language, frozenset())
        self._acts = self._names.acts.get(language, frozenset())
        # Who writes all small, or all in capitals, writes names like other words.
        self._even = text.islower() or text.isupper()
        self._saints = not self._names.saints.isdisjoint(map(_FOLDED, tokens))
        self._last = -1  # where the name before ended, in words

    def name_at(self, at: int) -> tuple[int, str]:
        """Return how many words a name takes at a place, and the name; 0 when there is none."""
        first = self._tokens[at]
        if self._is_small_name(at):
            self._last = at
            return 1, first.written.title()
        if not self._is_name(at):
            return 0, ""
        parts = [first.written]
        for before, word in zip(self._tokens[at:], self._tokens[at + 1 : at + LONGEST_NAME], strict=False):
            if before.end - before.start != len(before.written):  # "Anna's Paul": a possessive ends a name
                break
            if self._text[before.end : word.start] not in _WITHIN or not _is_capital(word) or _is_other(word):
                break
            if word.folded in stop_words(self._language):
                break
            parts.append(self._text[before.end : word.start] + word.written)
        self._last = at + len(parts) - 1
        return len(parts), "".join(parts)

    def _is_name(self, at: int) -> bool:
        word = self._tokens[at]
        if not _is_capital(word):
            return False
        if word.folded in self._names.also_words:
            return self._cued(at) or self._meant(at)
        if _is_other(word):
            return False
        if word.folded in self._names.given:
            return True
        unknown = word.folded not in stop_words(self._language)
        return unknown and (
            self._cued(at) or (self._listed(at) and not starts_sentence(self._text, word.start))
        )

    def _is_small_name(self, at: int) -> bool:
        """Return whether a given name is written like any other word: "con marco", "MARCO DOVE SEI"."""
        word = self._tokens[at]
        names = self._names
        if (
            word.folded not in names.given
            or word.folded in names.also_words
            or word.folded in stop_words(self._language)
        ):
            return False
        if not (word.written.islower() or (self._even and word.written.isupper())) or len(word.folded) < 3:
            return False
        if word.folded in names.places or word.folded in names.never or word.folded in names.things:
            return False
        return self._cued(at) or self._listed(at) or (self._even and not self._determined(at))

    def _meant(self, at: int) -> bool:
        """Say whether a capitalised name that is another word too is a person, by what stands around it."""
        word = self._tokens[at]
        if word.folded in self._names.never:
            behind = self._tokens[at + 1].folded if self._joined(at + 1) else ""
            return self._language == "en" and behind in self._names.surely and not self._determined(at)
        if self._text[word.end - 2 : word.end] in {"'s", "\u2019s"} or self._pairs(at):
            return True
        behind = self._tokens[at + 1].folded if at + 1 < len(self._tokens) else ""
        if self._joined(at + 1) and behind in self._acts:
            return not self._determined(at)
        if starts_sentence(self._text, word.start):
            if word.folded in self._names.only_named and self._is_verb(at + 1):
                return True
            return self._text[word.end : word.end + 1] == "," and behind not in _FOLLOWS_A_LIST
        return word.folded not in self._names.places and not self._determined(at)

    def _pairs(self, at: int) -> bool:
        """Return whether a word and a given name are joined: "Will and Grace"."""
        if at + 2 >= len(self._tokens) or self._tokens[at + 1].folded not in _AND:
            return False
        other = self._tokens[at + 2]
        if other.folded in _SPEAKERS and starts_sentence(self._text, self._tokens[at].start):
            return True
        return _is_capital(other) and other.folded in self._names.given | self._names.also_words

    def _is_verb(self, at: int) -> bool:
        """Return whether the word at a place follows its subject: "Mark fixed it", "Angelo ripara"."""
        if not self._joined(at):
            return False
        word = self._tokens[at].folded
        if word in _BEING.get(self._language, ()):
            return self._tokens[at - 1].folded not in self._names.colours
        if self._language == "it":
            return word[-1] in "aeò" and is_italian_verb(word)
        if word in self._names.surely or word.endswith("ed"):
            return lemma(word, "en") != word
        return word.endswith("s") and lemma(word, "en") != word

    def is_saint(self, at: int) -> bool:
        """Return whether a word belongs to the name of a saint, which is a place's: "Piazza San Marco"."""
        if not self._saints:
            return False
        while at > 0 and self._tokens[at].written[0].isupper() and self._joined(at, _AFTER_SAINTS):
            at -= 1
            before = self._tokens[at]
            if before.folded in self._names.saints and before.written[0].isupper():
                # "Elm St. Anna called"
                return not (before.folded == "st" and at and _is_capital(self._tokens[at - 1]))
        return False

    def _cued(self, at: int) -> bool:
        if at == 0 or not self._joined(at, _AFTER_CUES):
            return False
        before = self._tokens[at - 1].folded
        return before in self._cues

    def _listed(self, at: int) -> bool:
        """Return whether a name stands right before: "Luca e Priya", "Anna, Zoe"."""
        if self._last < 0:
            return False
        if self._last == at - 2 and self._tokens[at - 1].folded in _AND:
            return True
        between = self._text[self._tokens[at - 1].end : self._tokens[at].start]
        return (
            self._last == at - 1 and between.strip() == "," and (self._even or _is_capital(self._tokens[at]))
        )

    def _determined(self, at: int) -> bool:
        return (
            at > 0
            and self._joined(at, _AFTER_CUES)
            and self._tokens[at - 1].folded in self._names.determiners
        )

    def _joined(self, at: int, gaps: AbstractSet[str] = frozenset({" "})) -> bool:
        if not 0 < at < len(self._tokens):
            return False
        return self._text[self._tokens[at - 1].end : self._tokens[at].start] in gaps

    def possesses(self, at: int) -> bool:
        """Say whether a capital "Mia" is the Italian possessive: "Mia sorella", but not "Mia ha chiamato"."""
        word = self._tokens[at]
        if self._language != "it" or word.folded not in _POSSESSIVES:
            return False
        if at and self._tokens[at - 1].folded in _EXCLAIMED and word.start == self._tokens[at - 1].end + 1:
            return True
        if not self._joined(at + 1):
            # Nothing follows that it could possess: at the head of a sentence somebody is called by name.
            return at > 0 and word.written.islower()
        following = self._tokens[at + 1].folded
        kin = following in self._cues
        return kin or (starts_sentence(self._text, word.start) and following not in stop_words("it"))


def _is_capital(word: Token) -> bool:
    return len(word.written) > 1 and word.written[0].isupper() and not word.written.isupper()


def _is_other(word: Token) -> bool:
    names = load_names()
    return word.folded in names.places or word.folded in names.never
