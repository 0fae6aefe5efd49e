"""Finds names in the tokens, and keeps the people whom a message introduces."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from ricordo.language.facts.acquaintance import TITLES
from ricordo.language.facts.fact_grammar import Gender, Grammar, Kin
from ricordo.language.facts.fact_tokens import Tokens
from ricordo.language.facts.kinship import PRESUMED, Tie
from ricordo.language.facts.word_forms import word_list
from ricordo.language.lemmas import is_known
from ricordo.language.person_names import is_given, is_place

_LONGEST_AGE: Final = 6
"""Words of an age with its brackets, at most."""
LONGEST_NAME: Final = 5
"""Tokens: more capitalised words in a row are shouting or a headline."""
_SHORTEST_NAME: Final = 3
"""Letters of a name that no list holds: shorter ones are mostly abbreviations."""
_SHORTEST_SECOND: Final = 4
"""The same of words after the first: "i live in brum atm"."""
_ODD_WORDS: Final = word_list("odd_words")
_NO_NAME: Final = re.compile(r"^[^aeiouyàèéìòù]+$|(.)\1\1|^(?:a?(?:ha|lo|xo|he)){2}")
"""Abbreviations ("frm"), drawn-out words ("sooo"), laughter."""
_INFLECTIONS: Final = {
    "en": ("ed", "ing", "ly"),
    "it": (
        "ando",
        "endo",
        *(f"{a}t{o}" for a in "aiu" for o in "oaie"),
        *(f"issim{o}" for o in "oaie"),
        "mente",
    ),
}
"""Endings of words that are misspelt, and no names."""


Span = tuple[int, int]


@dataclass(eq=False, slots=True)
class Person:
    """Somebody (or some animal) a message speaks of: by kinship, by name, or both.

    Attributes:
        presumed: whether nothing tells that the user knows them ("Messi").
        of_other: whether they are tied by `kin` to somebody else than the user ("Anna has a sister").
        asked: the tokens of a question that spoke of them, as long as nothing was said of them.
        owner: whose `kin` they are, where it is somebody with a name.
    """

    kin: Kin | None
    noun: str = ""
    names: list[str] = field(default_factory=list)
    of_other: bool = False
    presumed: bool = False
    asked: Span | None = None
    owner: "Person | None" = None

    @property
    def gender(self) -> Gender:
        """The grammatical gender a pronoun would have; empty when unknown."""
        return self.kin.gender if self.kin else ""

    @property
    def several(self) -> bool:
        """Whether a verb about them stands in the plural."""
        return len(self.names) > 1 or (self.kin is not None and self.kin.plural)

    @property
    def tie(self) -> str:
        """What ties them to the user, as text; empty when the message does not say."""
        if self.kin is None or self.of_other:
            return PRESUMED if self.presumed else ""
        return str(Tie(self.kin.predicate, self.kin.gender, self.kin.noun, named=bool(self.names)))

    def end(self) -> None:
        """Say that what ties them to the user is over."""
        self.kin = None if self.kin is None else replace(self.kin, over=True)

    def labels(self) -> tuple[str, ...]:
        """What to call them in a statement."""
        return tuple(self.names) or ((self.noun,) if self.noun else ())


class Cast:
    """The people of one message, in the order in which they were last spoken of."""

    def __init__(self) -> None:
        self._people: list[Person] = []

    def introduce(self, person: Person) -> Person:
        """Bring `person` on stage."""
        self._people.append(person)
        return person

    def latest(self, gender: Gender = "", but: Person | None = None) -> Person | None:
        """Return whom a pronoun of `gender` means: the last one spoken of who could be meant, not `but`."""
        people = (p for p in reversed(self._people) if p is not but)
        return next((p for p in people if not gender or p.gender in ("", gender)), None)

    def knows(self, name: str) -> bool:
        """Whether somebody of this name was spoken of whom the user knows."""
        return any(name in person.names and not person.presumed for person in self._people)


def name_at(
    tokens: Tokens,
    grammar: Grammar,
    begin: int,
    end: int,
    *,
    loose: bool = False,
    person: bool = False,
    titled: bool = False,
) -> int:
    """Return the index after the name that starts at `begin`, or `begin` when there is none.

    Args:
        loose: accept one word without a capital (after "called", or when the writer uses no capitals at all).
        person: whether it is somebody's: "Nora da Lisbona" is Nora, "San Giovanni in Persiceto" one place.
        titled: whether any capital may be part of it ("a band called Rust Monday").
    """
    particles = grammar.person_particles if person else grammar.name_particles
    at = begin
    if begin + 1 < end and tokens.low[begin] in TITLES and tokens.raw[begin][0].isupper():
        at += _capitalised(tokens, grammar, begin + 1)
    while at < end and at - begin < LONGEST_NAME:
        word = at
        while begin < word < end - 1 and tokens.low[word] in particles and tokens.raw[word].islower():
            word += 1  # "van der"
        if not (_capitalised(tokens, grammar, word) or (titled and tokens.raw[word][0].isupper())):
            break
        at = word + 1
    if at - begin >= LONGEST_NAME and at < end and _capitalised(tokens, grammar, at):
        return begin
    if at > begin or begin >= end:
        return at
    return _small_name(tokens, grammar, begin, end, loose=loose, person=person)


def _small_name(tokens: Tokens, grammar: Grammar, begin: int, end: int, *, loose: bool, person: bool) -> int:
    """Return the index after a name without a capital, or `begin` when there is none."""
    if _known_small(tokens, grammar, begin, person=person):
        return begin + 1
    if person and is_unheard_of(tokens, grammar, begin):
        return begin + _is_followed_as_a_name(tokens, grammar, begin)
    if not loose or not _plain_word(tokens, grammar, begin):
        return begin
    at = begin + 1
    while not person and at < end and is_unheard_of(tokens, grammar, at, _SHORTEST_SECOND):
        at += 1  # "kirkby lonsdale"
    return at


def names_from(
    tokens: Tokens, grammar: Grammar, begin: int, end: int, *, loose: bool = False, person: bool = False
) -> Iterator[Span]:
    """Yield the names of a list: "Anna", "Anna and Luca", "Anna, Luca and Tom"."""
    at = begin
    while True:
        after = name_at(tokens, grammar, at, end, loose=loose, person=person)
        if after == at or (after < end and tokens.low[after] == "'s"):
            return
        yield at, after
        following = _next_item(tokens, grammar, _behind_age(tokens, after, end), end)
        if following == after:
            return
        at = following


def _behind_age(tokens: Tokens, at: int, end: int) -> int:
    """Return where a list goes on behind an age in brackets, "(7)", "(9 anni)"; `at` where there is none."""
    if at + 1 >= end or tokens.low[at] != "(" or not tokens.low[at + 1].isdigit():
        return at
    return next((i + 1 for i in range(at + 2, min(end, at + _LONGEST_AGE)) if tokens.low[i] == ")"), at)


def _next_item(tokens: Tokens, grammar: Grammar, at: int, end: int) -> int:
    while at < end and (tokens.low[at] == "," or tokens.low[at] in grammar.conjunctions):
        at += 1
    return at


def _capitalised(tokens: Tokens, grammar: Grammar, at: int) -> bool:
    word = tokens.low[at]
    if not tokens.raw[at][0].isupper():
        return False
    if word in grammar.not_names:
        listed = at > 1 and tokens.low[at - 1] in grammar.conjunctions and tokens.raw[at - 2][0].isupper()
        return listed and is_given(word)  # "Otis and June"
    return word not in grammar.refused


def _known_small(tokens: Tokens, grammar: Grammar, at: int, *, person: bool) -> bool:
    """Whether a name stands here that its writer left small: "my sister nora", "i live in leeds"."""
    word = tokens.low[at]
    if word in grammar.common or word in grammar.kin:
        return False
    known = is_given(word) if person else is_place(word) or (tokens.lowercase and is_given(word))
    return known and tokens.raw[at].islower()


def is_unheard_of(tokens: Tokens, grammar: Grammar, at: int, shortest: int = _SHORTEST_NAME) -> bool:
    """Whether a word may be a name that no list holds: in no dictionary, and without a usual ending.

    Args:
        shortest: letters of a name.
    """
    word = tokens.low[at]
    if len(word) < shortest or not word.isalpha() or not tokens.raw[at].islower():
        return False
    if word in grammar.common or word in grammar.kin or word in grammar.verbal or word in grammar.openers:
        return False
    if word in _ODD_WORDS or _NO_NAME.search(word) or word.endswith(_INFLECTIONS[grammar.code]):
        return False
    return not is_known(word, grammar.code)


def _is_followed_as_a_name(tokens: Tokens, grammar: Grammar, at: int) -> bool:
    """Whether a word can be no misspelt or new verb: "my sister facetimes", "mio marito sbrocca".

    After a term of kinship a verb or a conjunction follows a name. Italian has none without a capital there:
    dialects have words of their own before a verb ("mia madre nun sta bene").
    """
    if at == 0 or tokens.low[at - 1] not in grammar.kin:
        return True
    if grammar.code != "en" or at + 1 == len(tokens.low):
        return False
    after = tokens.low[at + 1]
    return after == "'s" or after in grammar.verbal or after in grammar.conjunctions


def _plain_word(tokens: Tokens, grammar: Grammar, at: int) -> bool:
    word = tokens.low[at]
    return word.isalpha() and len(word) > 1 and word not in grammar.common
