"""Words of a text in their order, with what stands between them: what a tag is decided by."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import Enum, auto
from itertools import pairwise
from typing import Final, NamedTuple

from ricordo.domain.text import Word as Token
from ricordo.domain.topics.word_classes import Word, word_class

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
        self.words = [token.folded.removesuffix("'s") for token in tokens]
        self.classes = [word_class(word, language) for word in self.words]
        self.begins, self.joined = [True], [False]
        for before, token in pairwise(tokens):
            between = text[before.end : token.start]
            joined = between in _JOINTS
            self.joined.append(joined)
            self.begins.append(not joined and not _CLAUSE_ENDS.isdisjoint(between))
        self.found: list[Tagged] = []
        self.people = people

    def word(self, at: int) -> str:
        """Return the word at a place; nothing where there is none."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def may_be_noun(self, at: int) -> bool:
        """Say whether the word at a place follows the one before it closely and can be a noun."""
        return at < len(self.words) and self.joined[at] and self.classes[at] in _NOUNS


_NOUNS: Final = (Word.NOUN, Word.EITHER, Word.GERUND)
