"""The port of the fact graph: a projection of PostgreSQL, written by knowledge alone."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.memory.facts.fact_model import ProjectionVersion
from ricordo.unavailable import DependencyUnavailable

MAX_DEPTH = 2
"""Maximum distance of neighbours: beyond it, all entities are connected through the user."""


class GraphUnavailable(DependencyUnavailable):
    """The graph does not answer: a transient failure."""

    server = "the graph"


class GraphInRepair(GraphUnavailable):
    """The graph differs from PostgreSQL and is being repaired, which takes a while."""

    state = "is being repaired"


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
class Survey:
    """The contents of a user's graph.

    Attributes:
        broken: facts whose edge is duplicated or joins the wrong entities.
        isolated: keys of entities without facts.
    """

    ids: frozenset[UUID]
    broken: frozenset[UUID] = frozenset()
    isolated: frozenset[str] = frozenset()


class FactGraph(Protocol):
    """Entities joined by facts; every call sees one user of one tenant only.

    Every method raises `GraphUnavailable` when the graph does not answer, except `health`.
    """

    async def prepare(self) -> None:
        """Create missing constraints and indexes; several workers may do so at once."""
        ...

    async def project(
        self,
        tenant: str,
        user_id: str,
        facts: Sequence[Fact],
        *,
        gone: Collection[UUID] = (),
        step: ProjectionVersion | None = None,
    ) -> None:
        """Write `facts` and remove those that are `gone`, in one transaction; repeating it changes nothing.

        A fact that is both is written again, wherever its edge was. With a `step`, the graph records the
        version of the evidence.

        Raises:
            VersionConflict: the graph is at neither version of `step`; nothing was written.
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

    async def erase(self, tenant: str, user_id: str) -> int:
        """Remove everything of a user and return the number of facts."""
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

    async def sweep_ownerless(self, tenants: Collection[str], *, unnamed: bool) -> None:
        """Remove entities of `tenants` without a user.

        Args:
            unnamed: also remove entities with a user and no tenant.
        """
        ...

    async def survey(self, tenant: str, user_id: str) -> Survey:
        """Remove invalid nodes and edges, and return the rest.

        Others may write the user's graph meanwhile; the result is checked again under the lock.
        """
        ...

    async def sweep(self, tenant: str, user_id: str, isolated: Collection[str]) -> None:
        """Remove those of the entities `isolated` (keys) that no fact touches now.

        No other writer may be active on the user's graph.
        """
        ...

    async def state(self, tenant: str, user_id: str) -> UUID | None:
        """Return the version of the user's evidence that the graph is at; None if unknown."""
        ...

    async def stand(self, tenant: str, user_id: str, *, before: UUID | None, after: UUID | None) -> None:
        """Set the version of a user's graph to `after`, if it is still `before`."""
        ...
