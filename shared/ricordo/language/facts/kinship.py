"""Ties between the user and other people: kinds of kin, and whether two of them may be the same person.

A tie is read with the words of a message ("my brother Marco") and kept beside its evidence, as text: two
people of one name are told apart by it, and "my brother" is found to be Marco.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from ricordo.language.data_files import read_table, word_list

BEINGS: Final = frozenset(
    {"has_pet", "has_child", "has_sibling", "has_parent", "partner", "friend", "knows", "related_to"}
)
"""Predicates whose object is a person or an animal."""

_GENDERED: Final = frozenset({"has_child", "has_sibling", "has_parent"})
_MET: Final = frozenset({"partner", "friend", "knows"})
"""A friend may become a partner, and a colleague a friend: these tell nobody apart."""

_SAME: Final[dict[str, str]] = {
    noun: words.split()[0] for words in read_table("fact_lists")["same_nouns"] for noun in words.split()
}
"""Nouns of one meaning in two languages, by their first."""

_OPEN: Final = word_list("open_nouns")
"""Nouns that leave open which kind of animal, or of kin."""

_UNNAMED: Final = "?"
_LABELS: Final = {
    "has_pet": "pet",
    "has_child": "child",
    "has_sibling": "sibling",
    "has_parent": "parent",
    "knows": "acquaintance",
    "related_to": "relative",
}


@dataclass(frozen=True, slots=True)
class Tie:
    """How a message ties somebody to the user."""

    predicate: str
    gender: str = ""
    noun: str = ""
    named: bool = True

    def __str__(self) -> str:
        """Return the text that is kept beside evidence: `has_sibling/m/brother`."""
        return f"{'' if self.named else _UNNAMED}{self.predicate}/{self.gender}/{self.noun}"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read what `str` wrote; None for anything else, as for the empty text of whom nothing ties."""
        predicate, _, rest = text.removeprefix(_UNNAMED).partition("/")
        gender, _, noun = rest.partition("/")
        if predicate not in BEINGS:
            return None
        return cls(predicate, gender, noun, named=not text.startswith(_UNNAMED))

    @property
    def group(self) -> str:
        """The kind of tie: nobody is of two kinds (a brother is no colleague, a dog is no child)."""
        return "met" if self.predicate in _MET else self.predicate

    @property
    def detail(self) -> str:
        """What tells those of one kind apart, where it is known: a sister is no brother, a cat no dog."""
        if self.predicate in _GENDERED:
            return self.gender
        if self.predicate in _MET or self.noun in _OPEN:
            return ""
        return _SAME.get(self.noun, self.noun)

    @property
    def identifies(self) -> bool:
        """Whether "my …" alone says who is meant, where only one is known: not "my friend"."""
        return self.predicate not in ("friend", "knows")

    @property
    def label(self) -> str:
        """What tells them apart from somebody of the same name, in a word."""
        return self.noun or _LABELS.get(self.predicate, self.predicate)

    @property
    def former(self) -> bool:
        """Whether it is over: "my ex"."""
        return self.noun.startswith("ex")

    def may_be(self, other: "Tie") -> bool:
        """Whether somebody of this tie may be somebody of the other one."""
        if self.group != other.group:
            return False
        return self.detail == other.detail or not self.detail or not other.detail

    def is_meant_by(self, asked: "Tie") -> bool:
        """Whether a question for `asked` ("my mother") means somebody of this tie ("mum")."""
        if self.predicate != asked.predicate or self.former != asked.former or not self.may_be(asked):
            return False
        mine, theirs = (_SAME.get(one.noun, one.noun) for one in (self, asked))
        return self.predicate not in ("knows", "related_to") or mine == theirs


@lru_cache(maxsize=16_384)
def tie_of(text: str) -> Tie | None:
    """Return `Tie.parse(text)`, remembered."""
    return Tie.parse(text)
