"""The words of a text with their tags and what stands between them."""

from collections.abc import Set as AbstractSet
from enum import Enum, auto
from typing import Final

from ricordo.language.document import Document
from ricordo.language.lemmas import noun
from ricordo.language.tokenization import APOSTROPHES
from ricordo.language.topics.word_classes import Lists, WordClass, classifier

_CLAUSE_ENDS: Final = frozenset(".!?;:,\n()…")
_JOINTS: Final = frozenset({" ", "-", "'", "\u2019"})
_POSSESSIVE: Final = "'s"


class Tag(Enum):
    """What a word is in its sentence."""

    NOUN = auto()
    NAME = auto()
    RELATED = auto()  # an Italian word right behind a noun, which may belong to it
    NONE = auto()


class TaggedText:
    """The words to be tagged. Most are no nouns: what stands between words is looked at when asked for."""

    def __init__(self, document: Document, people: AbstractSet[str], lists: Lists) -> None:
        text, tokens = document.text, document.words
        self._text, self._tokens, self.lists = text, tokens, lists
        self.words = [token.folded for token in tokens]
        self._may_possess = not APOSTROPHES.isdisjoint(text)
        if self._may_possess:
            self.words = [word.removesuffix(_POSSESSIVE) for word in self.words]
        self.classes = list(map(classifier(document.language), self.words))
        self.tags = [Tag.NONE] * len(tokens)
        self.people = people
        self.hyphened = "-" in text

    def __len__(self) -> int:
        return len(self.words)

    def word(self, at: int) -> str:
        """Return the word at a place; nothing where there is none."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def joined(self, at: int) -> bool:
        """Return whether nothing but a space, a hyphen or an apostrophe parts a word from the one before."""
        if not 0 < at < len(self._tokens):
            return False
        end = self._tokens[at - 1].end
        return self._tokens[at].start == end + 1 and self._text[end] in _JOINTS

    def begins(self, at: int) -> bool:
        """Return whether a word begins a clause."""
        gap = self._gap(at)
        return gap != " " and (not gap or not _CLAUSE_ENDS.isdisjoint(gap))

    def determined(self, at: int) -> bool:
        """Say whether an article or the like leads up to a word; adjectives pass it on: "la nuova casa"."""
        determiners = self.lists.determiners
        for before in range(at - 1, -1, -1):
            leads = self.words[before] in determiners
            passes = leads or (self.classes[before] is WordClass.QUALITY and self.tags[before] is Tag.NONE)
            if not passes or self.begins(before + 1):
                return False
            if leads:
                return True
        return False

    def opens_clause(self, at: int) -> bool:
        """Return whether a noun with its article stands at the head of a clause, as a subject does."""
        first = at
        while first > 0 and not self.begins(first) and self.words[first] not in self.lists.determiners:
            first -= 1
        if self.words[first] not in self.lists.determiners:
            return False
        return first == 0 or self.begins(first) or self.words[first - 1] in self.lists.subordinating

    def possesses(self, at: int) -> bool:
        """Return whether a word was written with a possessive: "my uncle's"."""
        return self._may_possess and self._tokens[at].folded.endswith(_POSSESSIVE)

    def is_nominal(self, at: int) -> bool:
        """Return whether a word that is no noun by itself is one here: "the dark", a test's "result"."""
        word, found = self.words[at], self.classes[at]
        if found is WordClass.QUALITY:
            return word in self.lists.nominal and self.determined(at) and not self.may_be_noun(at + 1)
        if found is not WordClass.VAGUE or at == 0 or self.tags[at - 1] is not Tag.NOUN:
            return False
        return noun(word, "en") in self.lists.heads and self.joined(at)

    def is_put_together(self, at: int) -> bool:
        """Return whether a hyphen ties a word to a function word: "mother-in-law", "check-up"."""
        return self._is_tied(at, at - 1) or self._is_tied(at + 1, at + 1)

    def leads_to_person(self, at: int) -> bool:
        """Return whether what tells who somebody is stands by a name, or owns what follows: "my uncle's"."""
        return self.possesses(at) or (self.word(at + 1) in self.people and self.joined(at + 1))

    def may_be_noun(self, at: int) -> bool:
        """Return whether the word at a place follows the one before it closely and can be a noun."""
        return at < len(self.words) and self.classes[at] in _NOUNS and self.joined(at)

    def _gap(self, at: int) -> str:
        """Return what stands before a word, and behind the one before it."""
        return self._text[self._tokens[at - 1].end : self._tokens[at].start] if at else ""

    def _is_tied(self, at: int, other: int) -> bool:
        """Return whether a hyphen stands before a word, and the other of the two is a function word."""
        in_text = 0 < at < len(self.words)
        return in_text and self.classes[other] is WordClass.NOTHING and self._gap(at) == "-"


_NOUNS: Final = (WordClass.NOUN, WordClass.EITHER, WordClass.GERUND)
