"""Generates people and statements about them, as triples or in English and Italian sentences."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Final

from ricordo_lab.bench.conversation import LANGUAGES, Spoken, grammar

USER: Final = "user"
_OF_USER: Final = ("friend", "visited", "likes", "dislikes")
_OF_OTHERS: Final = "lives_in born_in works_at works_as studies plays allergic_to knows".split()
PREDICATES: Final = (*_OF_USER, *_OF_OTHERS)
_CITIES: Final = 300
_THINGS: Final = 400
_MOVING: Final = 0.25  # of the people live somewhere else later
_REPEATED: Final = 0.1  # of the people are told of again,
_TIMES: Final = 6  # so many times at the most


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple; the subject `user` is the user."""

    subject: str
    predicate: str
    value: str

    def sentence(self, language: Spoken) -> str:
        """Return the statement as the user says it."""
        return grammar(language).statements[self.predicate].format(who=self.subject, value=self.value)


class People:
    """Generates people and their lives; a seed always gives the same.

    Args:
        seed: of the random numbers.

    Attributes:
        names: of those whose lives were told.
        cities: in which they live.
    """

    def __init__(self, seed: int = 0) -> None:
        self._chance = random.Random(seed)
        self._taken: set[str] = set()
        self.cities = list(islice(self._words(), _CITIES))
        self._things = [word.lower() for word in islice(self._words(), _THINGS)]
        self.names: list[str] = []

    def lives(self, statements: int | None = None) -> Iterator[Sequence[Statement]]:
        """Yield the statements about one person after the other, without end or until there are so many."""
        made = 0
        while statements is None or made < statements:
            life = self._life()[: None if statements is None else statements - made]
            made += len(life)
            yield life

    def again(self, lives: Sequence[Sequence[Statement]]) -> Iterator[Sequence[Statement]]:
        """Yield a tenth of the lives again, up to six times each."""
        for life in lives:
            if self._chance.random() < _REPEATED:
                for _ in range(self._chance.randint(1, _TIMES)):
                    yield life

    def _life(self) -> Sequence[Statement]:
        chance, name = self._chance, " ".join(islice(self._words(), 2))
        before = chance.choice(self.names) if self.names else chance.choice(self.cities)
        self.names.append(name)
        values = {
            "works_at": next(self._words()),
            "knows": before,
            **{place: chance.choice(self.cities) for place in ("lives_in", "born_in")},
        }
        statements = [Statement(USER, one, value) for one, value in self._of_user(name)]
        statements += [
            Statement(name, one, values.get(one) or chance.choice(self._things)) for one in _OF_OTHERS
        ]
        if chance.random() < _MOVING:
            statements.append(Statement(name, "lives_in", chance.choice(self.cities)))
        return statements

    def _of_user(self, name: str) -> Iterator[tuple[str, str]]:
        yield "friend", name
        for predicate in self._chance.sample(_OF_USER[1:], 2):
            yield predicate, next(self._words())

    def _words(self) -> Iterator[str]:
        """Yield invented capitalised words, each once."""
        chance = self._chance
        while True:
            syllables = range(chance.randint(3, 5))
            pairs = ((chance.choice("bcdfglmnprstvz"), chance.choice("aeiou")) for _ in syllables)
            word = "".join(map("".join, pairs)).capitalize()
            if word not in self._taken:
                self._taken.add(word)
                yield word


def texts_of(lives: Iterable[Sequence[Statement]], each: int) -> Iterator[str]:
    """Yield messages with the statements of `each` lives, English and Italian in turn."""
    rest = iter(lives)
    for language in cycle(LANGUAGES):
        some = [one for life in islice(rest, each) for one in life]
        if not some:
            return
        yield " ".join(one.sentence(language) for one in some)
