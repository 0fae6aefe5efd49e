"""Of whom evidence speaks: the people and animals whose names are in it, in its own words."""

from collections.abc import Iterator
from typing import NamedTuple

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.kinship import BEINGS, PRESUMED, Tie
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.clusters import Node


class Mention(NamedTuple):
    """How evidence speaks of somebody: the words, and the text of the tie (`ties.Tie`), empty for none."""

    name: str
    tie: str = ""

    @property
    def node(self) -> Node:
        """The same, however it is spelled."""
        return Node(normalise(self.name), self.tie)


def object_tie(row: Evidence) -> str:
    """Return the tie of whom the object is: what the user says of somebody ties them, however it is said.

    Whom somebody has met or knows may be anybody: a brother, too.
    """
    if row.object_tie or row.predicate not in BEINGS - {"knows"} or normalise(row.subject) != USER:
        return row.object_tie
    return str(Tie(row.predicate))


def mentions_of(row: Evidence) -> Iterator[Mention]:
    """Yield the people and animals that `row` tells of, but for the user.

    What is said of somebody whom the user may not know tells of nobody else whom they know.
    """
    presumes = row.subject_tie == PRESUMED and normalise(row.subject) not in ("", USER)
    return (one for one in spoken_of(row) if not presumes or one.tie == PRESUMED)


def spoken_of(row: Evidence) -> Iterator[Mention]:
    """Yield the people and animals whose names are in `row`, the subject first, but for the user."""
    if normalise(row.subject) not in ("", USER):
        yield Mention(row.subject, row.subject_tie)
    if row.predicate in BEINGS and normalise(row.object) not in ("", USER):
        yield Mention(row.object, object_tie(row))
