"""What is written to the graph of facts, and what it answers."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final
from uuid import UUID

from ricordo.memory.facts.fact_model import Fact
from ricordo.unavailable import DependencyUnavailable

MAX_STEPS: Final = 3
"""Maximum length of a path, and maximum radius of a neighbourhood."""


class GraphUnavailable(DependencyUnavailable):
    """The graph does not answer: a transient failure."""

    server = "the graph"


@dataclass(frozen=True, slots=True)
class EntityNeighbour:
    """An entity near another one.

    Attributes:
        name: its spelling; `user` is the user.
        distance: number of current facts between the two, 1 or 2.
        predicates: of the facts that touch it on the shortest paths, sorted.
    """

    name: str
    distance: int
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A fact between two entities.

    Attributes:
        subject: key of the entity that the fact is about.
        object: key of the other one.
    """

    fact: Fact
    subject: str
    object: str

    @property
    def strength(self) -> float:
        """The confidence in (0, 1]; the user's word counts in full."""
        return 1.0 if self.fact.verified else self.fact.confidence / 10


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A part of a user's graph.

    Attributes:
        names: spellings by key, `user` for the user; nearest entities first.
        distances: number of edges from the first entity, by key.
        edges: strongest first of each distance.
        truncated: whether a limit has left something out.
    """

    names: Mapping[str, str]
    distances: Mapping[str, int]
    edges: Sequence[GraphEdge]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A way from one entity to another over facts that hold; no entity is passed twice.

    Attributes:
        names: spellings by key, in the order of the path.
        edges: the strongest fact of each step.
    """

    names: Mapping[str, str]
    edges: Sequence[GraphEdge]

    @property
    def strength(self) -> float:
        """The product of the strengths of its edges, rounded."""
        return round(prod(edge.strength for edge in self.edges), 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphDelta:
    """What brings the graph of a user to a version of the user's facts.

    Attributes:
        version: of the facts, > 0; None if the user has none: nothing of the user stays in the graph.
        pages: the facts to write, page by page, each with all of its properties.
        gone: ids of facts to remove, before the others are written.
        whole: whether `pages` has all facts, so that everything else is removed.
    """

    version: int | None
    pages: AsyncIterator[Sequence[Fact]]
    gone: Collection[UUID] = ()
    whole: bool = False


ReadDelta = Callable[[int | None], Awaitable[GraphDelta]]
"""Returns what is missing in a graph with the facts of that version; None for an unknown one."""
