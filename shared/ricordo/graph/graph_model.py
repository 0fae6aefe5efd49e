"""The port of the fact graph: a projection of the facts in PostgreSQL, written by knowledge alone."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, Protocol
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.unavailable import DependencyUnavailable

MAX_DEPTH = 2
"""Maximum distance of neighbours: beyond it, all entities are connected through the user."""
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

    @property
    def rank(self) -> tuple[float, int, list[str]]:
        """What paths are sorted by: the strongest first, then the shortest, then by keys."""
        return -self.strength, len(self.edges), list(self.names)


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


def check_steps(depth: int) -> None:
    """Raise `ValueError` unless `depth` is 1 to 3."""
    if not 1 <= depth <= MAX_STEPS:
        raise ValueError(f"depth is 1 to {MAX_STEPS}, not {depth}")


async def in_pages(facts: Sequence[Fact] = (), size: int = 500) -> AsyncIterator[Sequence[Fact]]:
    """Yield facts page by page."""
    for start in range(0, len(facts), size):
        yield facts[start : start + size]


ReadDelta = Callable[[int | None], Awaitable[GraphDelta]]
"""Returns what is missing in a graph with the facts of that version; None for an unknown one."""


class FactGraph(Protocol):
    """Entities joined by facts; every call sees one user of one tenant only.

    Every method raises `GraphUnavailable` when the graph does not answer, except `health`.
    """

    async def prepare(self) -> None:
        """Create missing constraints and indexes; several workers may do so at once."""
        ...

    async def project(self, tenant: str, user_id: str, read: ReadDelta) -> int:
        """Bring a user's graph to a version of the facts, in one transaction; return how many were written.

        The user's node is locked before `read` is called, which is why no writer overwrites the facts of a
        later version: whoever comes second reads later. After a transient error all is done again.

        Args:
            read: is given the version that the graph has.

        Raises:
            Exception: of `read`; nothing was written.
        """
        ...

    async def neighbours(
        self,
        tenant: str,
        user_id: str,
        entity: str,
        *,
        depth: int = 1,
        limit: int = 100,
        past_user: bool = True,
    ) -> Sequence[EntityNeighbour]:
        """Return the entities around `entity` over facts that hold, nearest first, then by name.

        Args:
            depth: maximum distance, 1 or 2.
            limit: maximum number, >= 1.
            past_user: whether a path may lead through the user, to whom nearly everything is near.

        Raises:
            ValueError: `depth` is not 1 or 2.
        """
        ...

    async def neighbourhood(
        self,
        tenant: str,
        user_id: str,
        entity: str,
        *,
        depth: int,
        min_confidence: int,
        max_nodes: int,
        max_edges: int,
    ) -> Subgraph:
        """Return the entities around `entity`, and the facts that hold and lead to them.

        Only facts of at least `min_confidence` (0 to 10), or verified, are followed; none past the user,
        unless `entity` is the user. An unknown entity has no nodes. Limits leave out
        the weakest and farthest.

        Raises:
            ValueError: `depth` is not 1 to 3.
        """
        ...

    async def paths(
        self,
        tenant: str,
        user_id: str,
        start: str,
        end: str,
        *,
        depth: int,
        min_confidence: int,
        limit: int,
    ) -> Sequence[GraphPath]:
        """Return the strongest paths from `start` to `end`, of at most `depth` facts.

        They follow the facts that a neighbourhood does, and may lead past the user.

        Raises:
            ValueError: `depth` is not 1 to 3.
        """
        ...

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user, past ones too, sorted by id."""
        ...

    async def health(self) -> bool:
        """Return whether the graph answers."""
        ...

    async def owners(self, tenant: str | None = None) -> Collection[tuple[str, str]]:
        """Return tenant and user of everything in the graph, or of one tenant."""
        ...
