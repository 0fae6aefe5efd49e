"""People made up by the thousand, and what is told of them: as triples, or in sentences of two languages."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Final

from ricordo_lab.bench.conversation import LANGUAGES, Spoken

USER: Final = "user"

_SENTENCES: Final[Mapping[Spoken, Mapping[str, str]]] = {
    "en": {
        "friend": "My friend {value} called.",
        "visited": "I visited {value}.",
        "likes": "I love {value}.",
        "dislikes": "I hate {value}.",
        "lives_in": "{who} lives in {value}.",
        "born_in": "{who} was born in {value}.",
        "works_at": "{who} works at {value}.",
        "works_as": "{who} works as a {value}.",
        "studies": "{who} studies {value}.",
        "plays": "{who} plays {value}.",
        "allergic_to": "{who} is allergic to {value}.",
        "knows": "{who} knows {value}.",
    },
    "it": {
        "friend": "Ha chiamato la mia amica {value}.",
        "visited": "Ho visitato {value}.",
        "likes": "Adoro {value}.",
        "dislikes": "Odio {value}.",
        "lives_in": "{who} vive a {value}.",
        "born_in": "{who} è nata a {value}.",
        "works_at": "{who} lavora alla {value}.",
        "works_as": "{who} lavora come {value}.",
        "studies": "{who} studia {value}.",
        "plays": "{who} gioca a {value}.",
        "allergic_to": "{who} è allergica a {value}.",
        "knows": "{who} conosce {value}.",
    },
}
_OF_USER: Final = ("friend", "visited", "likes", "dislikes")
_OF_OTHERS: Final = tuple(name for name in _SENTENCES["en"] if name not in _OF_USER)
PREDICATES: Final = (*_OF_USER, *_OF_OTHERS)
_CITIES: Final = 300
_THINGS: Final = 400
_MOVING: Final = 0.25  # of the people live somewhere else later
_REPEATED: Final = 0.1  # of the people are told of again,
_TIMES: Final = 6  # so many times at the most


@dataclass(frozen=True, slots=True)
class Said:
    """A statement; `user` is the user."""

    subject: str
    predicate: str
    value: str

    def told(self, language: Spoken) -> str:
        """Return the statement as the user says it."""
        return _SENTENCES[language][self.predicate].format(who=self.subject, value=self.value)


class People:
    """Makes up people and their lives; of one seed always the same.

    Args:
        seed: of chance.

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

    def lives(self, statements: int | None = None) -> Iterator[Sequence[Said]]:
        """Yield what is told of one after the other, without end, or until so many statements were made."""
        made = 0
        while statements is None or made < statements:
            life = self._life()[: None if statements is None else statements - made]
            made += len(life)
            yield life

    def again(self, lives: Sequence[Sequence[Said]]) -> Iterator[Sequence[Said]]:
        """Yield some of the lives once more, some several times: these are heard more often than others."""
        for life in lives:
            if self._chance.random() < _REPEATED:
                for _ in range(self._chance.randint(1, _TIMES)):
                    yield life

    def _life(self) -> Sequence[Said]:
        chance, name = self._chance, " ".join(islice(self._words(), 2))
        before = chance.choice(self.names) if self.names else chance.choice(self.cities)
        self.names.append(name)
        values = {
            "works_at": next(self._words()),
            "knows": before,
            **{place: chance.choice(self.cities) for place in ("lives_in", "born_in")},
        }
        said = [Said(USER, one, value) for one, value in self._of_user(name)]
        said += [Said(name, one, values.get(one) or chance.choice(self._things)) for one in _OF_OTHERS]
        if chance.random() < _MOVING:
            said.append(Said(name, "lives_in", chance.choice(self.cities)))
        return said

    def _of_user(self, name: str) -> Iterator[tuple[str, str]]:
        yield "friend", name
        for predicate in self._chance.sample(_OF_USER[1:], 2):
            yield predicate, next(self._words())

    def _words(self) -> Iterator[str]:
        """Yield words that nobody has heard, with a capital, each once."""
        chance = self._chance
        while True:
            syllables = range(chance.randint(3, 5))
            pairs = ((chance.choice("bcdfglmnprstvz"), chance.choice("aeiou")) for _ in syllables)
            word = "".join(map("".join, pairs)).capitalize()
            if word not in self._taken:
                self._taken.add(word)
                yield word


def texts_of(lives: Iterable[Sequence[Said]], each: int) -> Iterator[str]:
    """Yield messages that tell lives, so many in each, English and Italian in turn."""
    rest = iter(lives)
    for language in cycle(LANGUAGES):
        some = [said for life in islice(rest, each) for said in life]
        if not some:
            return
        yield " ".join(said.told(language) for said in some)
