"""Words of a text in their order, with what stands between them: what a tag is decided by."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import Enum, auto
from itertools import pairwise
from typing import Final, NamedTuple

from ricordo.domain.lemmas import noun
from ricordo.domain.text import Word as Token
from ricordo.domain.topics.word_classes import Word, around, word_class

_CLAUSE_ENDS: Final = frozenset(".!?;:,\n()…")
_JOINTS: Final = frozenset({" ", "-", "'", "\u2019"})


class Tag(Enum):
    """What a word is in its sentence."""

    NOUN = auto()
    NAME = auto()
    RELATED = auto()  # an Italian word right behind a noun, which may belong to it
    NONE = auto()


class Tagged(NamedTuple):
    """A word with its tag.

    Attributes:
        token: where it stands.
        word: case-folded, without a possessive.
        tag: what it is.
        determined: whether an article or the like leads up to it.
        joined: whether nothing but a space, a hyphen or an apostrophe parts it from the word before.
    """

    token: Token
    word: str
    tag: Tag
    determined: bool
    joined: bool


class Sentence:
    """The words to be tagged; the words before the one in question have their tags.

    Attributes:
        words: case-folded, without possessives.
        classes: what each can be.
        begins: whether each begins a clause.
        joined: whether nothing but a space, a hyphen or an apostrophe parts each from the word before.
        found: those tagged so far.
        people: words of the names of people.
    """

    def __init__(self, text: str, tokens: Sequence[Token], language: str, people: AbstractSet[str]) -> None:
        self._language = language
        self._tokens = tokens
        self.words = [token.folded.removesuffix("'s") for token in tokens]
        self.classes = [word_class(word, language) for word in self.words]
        gaps = ["", *(text[before.end : token.start] for before, token in pairwise(tokens))]
        self.joined = [gap in _JOINTS for gap in gaps]
        self.begins = [gap != " " and (not gap or not _CLAUSE_ENDS.isdisjoint(gap)) for gap in gaps]
        self._hyphened = [gap == "-" for gap in (*gaps, "")] if "-" in text else None
        self.found: list[Tagged] = []
        self.people = people

    def word(self, at: int) -> str:
        """Return the word at a place; nothing where there is none."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def is_nominal(self, at: int, *, determined: bool) -> bool:
        """Say whether a word that is no noun by itself is one here: "the dark", a test's "result"."""
        word, found = self.words[at], self.classes[at]
        if found is Word.QUALITY:
            return determined and word in around("nominal") and not self.may_be_noun(at + 1)
        if (
            found is not Word.VAGUE
            or at == 0
            or not self.joined[at]
            or self.found[at - 1].tag is not Tag.NOUN
        ):
            return False
        return noun(word, "en") in around("heads") and self._language == "en"

    def is_put_together(self, at: int) -> bool:
        """Say whether a hyphen ties a word to a function word: "mother-in-law", "check-up"."""
        if self._hyphened is None:
            return False
        before = self._hyphened[at] and self.classes[at - 1] is Word.NOTHING
        return before or (self._hyphened[at + 1] and self.classes[at + 1] is Word.NOTHING)

    def leads_to_person(self, at: int) -> bool:
        """Say whether what tells who somebody is stands by a name, or owns what follows: "my uncle's"."""
        named = at + 1 < len(self.words) and self.joined[at + 1] and self.words[at + 1] in self.people
        return named or self._tokens[at].folded.endswith("'s")

    def may_be_noun(self, at: int) -> bool:
        """Say whether the word at a place follows the one before it closely and can be a noun."""
        return at < len(self.words) and self.joined[at] and self.classes[at] in _NOUNS


_NOUNS: Final = (Word.NOUN, Word.EITHER, Word.GERUND)
