"""The port of the fact graph: a projection of the facts in PostgreSQL, written by knowledge alone."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.unavailable import DependencyUnavailable

MAX_DEPTH = 2
"""Maximum distance of neighbours: beyond it, all entities are connected through the user."""


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

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user, past ones too, sorted by id."""
        ...

    async def health(self) -> bool:
        """Return whether the graph answers."""
        ...

    async def owners(self, tenant: str | None = None) -> Collection[tuple[str, str]]:
        """Return tenant and user of everything in the graph, or of one tenant."""
        ...
