"""Models in memory that read facts: they say what a test tells them to, and fail when they are told to."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ricordo.memory.facts.relation_validation import Passage, RecognisedEntity, Relation
from ricordo.models.encoder import InvalidReply


@dataclass(slots=True)
class FakeRelationReader:
    """A `RelationReader`.

    Attributes:
        model: the name that it goes by.
        relations: says what a text states; None leaves it out.
        before: called before each answer, with the texts: it may raise, or wait.
        asked: the passages of each call.
    """

    model: str = "fake-reader"
    relations: Callable[[str], Sequence[Relation] | None] = field(default=lambda _: ())
    before: Callable[[Sequence[str]], None] = field(default=lambda _: None)
    asked: list[tuple[Passage, ...]] = field(default_factory=list)

    async def relate(self, passages: Sequence[Passage]) -> list[Sequence[Relation] | None]:
        """Relate; see `RelationReader.relate`."""
        self.asked.append(tuple(passages))
        texts = [one.said.shown for one in passages]
        self.before(texts)
        found = [self.relations(text) for text in texts]
        if all(one is None for one in found):
            raise InvalidReply("nothing said of any")
        return found


@dataclass(slots=True)
class FakeRecogniser:
    """An `EntityRecogniser` that takes every word of `names` for an entity.

    Attributes:
        model: the name that it goes by.
        names: the words, with their labels.
        before: called before each answer, with the texts: it may raise, or wait.
        asked: the texts of each call.
    """

    model: str = "fake-recogniser"
    names: dict[str, str] = field(default_factory=dict)
    before: Callable[[Sequence[str]], None] = field(default=lambda _: None)
    asked: list[tuple[str, ...]] = field(default_factory=list)

    async def entities(self, texts: Sequence[str]) -> list[list[RecognisedEntity]]:
        """Recognise; see `EntityRecogniser.entities`."""
        self.asked.append(tuple(texts))
        self.before(texts)
        return [
            [
                RecognisedEntity(found.start(), found.end(), self.names[found.group()], 0.9)
                for found in re.finditer(r"\w+", text)
                if found.group() in self.names
            ]
            for text in texts
        ]
