"""The graph of facts as a port: a projection of the truth, written by knowledge alone and rebuilt at will."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.memory.facts.projection import ProjectionVersion
from ricordo.unavailable import Unavailable

MAX_DEPTH = 2
"""Steps that neighbours may be away: further off, everybody is connected through the user."""


class GraphUnavailable(Unavailable):
    """The graph cannot be asked now: a transient failure; the call may be repeated."""

    server = "the graph"


class GraphBeingMended(GraphUnavailable):
    """The graph is out of step with the truth, and somebody is making it like that: it takes a while."""

    state = "is being mended"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity near another one.

    Attributes:
        name: the spelling to show; `user` is the user.
        distance: current facts between the two, 1 or 2.
        predicates: of the facts that touch this entity on the shortest ways, sorted.
    """

    name: str
    distance: int
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What the graph holds of a user.

    Attributes:
        ids: of all facts.
        broken: of those whose edge joins others than it should, or is there more than once.
        lonely: the keys of entities that no fact touches.
    """

    ids: frozenset[UUID]
    broken: frozenset[UUID] = frozenset()
    lonely: frozenset[str] = frozenset()


class FactGraph(Protocol):
    """Entities joined by facts; every call sees one user of one tenant and nothing else.

    Every method raises `GraphUnavailable` when the graph does not answer, except `health`.
    """

    async def prepare(self) -> None:
        """Create constraints and indexes where they are missing; any number of workers may do so at once."""
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
        """Write `facts` as they now stand and remove those that are `gone`; repeating it changes nothing.

        One that is both is written anew, wherever its edge was. All or nothing: after a failure the graph
        holds what it held before. With a `step`, the graph keeps at which state of the evidence it is.

        Raises:
            OutOfStep: the graph is neither before `step` nor after it; nothing was written.
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
    ) -> Sequence[Neighbour]:
        """Return the entities around `entity` over facts that hold, nearest first, then by name.

        Args:
            tenant: whose graph.
            user_id: whose facts.
            entity: in any spelling.
            depth: steps that they may be away, 1 or 2.
            limit: the most to return, >= 1.
            past_user: whether a way may lead through the user, to whom nearly everything is near.

        Raises:
            ValueError: `depth` is not 1 or 2.
        """
        ...

    async def erase(self, tenant: str, user_id: str) -> int:
        """Remove all that is known of a user and return how many facts that were.

        For whoever forgets a user: what is left of one then is what other users say.
        """
        ...

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user, past ones too, sorted by id."""
        ...

    async def health(self) -> bool:
        """Whether the graph answers just now."""
        ...


class GraphUpkeep(Protocol):
    """What whoever compares the graph with the truth asks of it, beside `FactGraph`.

    Every method raises `GraphUnavailable` when the graph does not answer.
    """

    async def owners(self, tenant: str | None = None) -> Collection[tuple[str, str]]:
        """Return tenant and user of all that is there; of one tenant only, where one is named."""
        ...

    async def sweep_ownerless(self, tenants: Collection[str], *, unnamed: bool) -> None:
        """Remove entities that somebody wrote under one of `tenants` without a user.

        Args:
            tenants: ours.
            unnamed: whether to remove also those that name a user and no tenant.
        """
        ...

    async def survey(self, tenant: str, user_id: str) -> Survey:
        """Remove what can be no fact and no entity, and return what else there is.

        Others may write the user's graph meanwhile: what it returns is looked at again, under the lock.
        """
        ...

    async def sweep(self, tenant: str, user_id: str, lonely: Collection[str]) -> None:
        """Remove those of `lonely`, keys of entities, that no fact touches now.

        Nobody else may write the user's graph meanwhile.
        """
        ...

    async def state(self, tenant: str, user_id: str) -> UUID | None:
        """Return at which state of the user's evidence the graph is; None where it does not say."""
        ...

    async def stand(self, tenant: str, user_id: str, *, before: UUID | None, after: UUID | None) -> None:
        """Note that the graph of a user is at the state `after`, if it is still at `before`.

        If it is not, somebody has projected meanwhile, and knows better.
        """
        ...


class KeptGraph(FactGraph, GraphUpkeep, Protocol):
    """A graph that can be compared with the truth, and mended."""
