"""The graph of facts as a port: a projection of the truth, written by knowledge alone and rebuilt at will."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from ricordo.domain.facts import Fact
from ricordo.ports.facts import Step
from ricordo.ports.unavailable import Unavailable

MAX_DEPTH = 2
"""Steps that neighbours may be away: further off, everybody is connected through the user."""


class GraphUnavailable(Unavailable):
    """The graph cannot be asked now: a transient failure; the call may be repeated."""

    server = "the graph"


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
        state: of the user's evidence, at which the graph is; None where it does not say.
    """

    ids: frozenset[UUID]
    broken: frozenset[UUID]
    state: UUID | None = None


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
        step: Step | None = None,
    ) -> None:
        """Write `facts` as they now stand and remove those that are `gone`; repeating it changes nothing.

        One that is both is written anew, wherever its edge was. All or nothing: after a failure the graph
        holds what it held before. With a `step`, the graph keeps at which state of the evidence it is.

        Raises:
            OutOfStep: the graph is neither before `step` nor after it; nothing was written.
        """
        ...

    async def replace(self, tenant: str, user_id: str, facts: Sequence[Fact], state: UUID | None) -> None:
        """Make `facts` all that is known of a user, and keep that this is `state` of the evidence.

        All or nothing; what stands as it should is left alone.
        """
        ...

    async def facts(
        self,
        tenant: str,
        user_id: str,
        *,
        entity: str | None = None,
        predicate: str | None = None,
        history: bool = False,
        limit: int = 50,
    ) -> Sequence[Fact]:
        """Return facts, most confident first, then most recently reinforced.

        Args:
            tenant: whose graph.
            user_id: whose facts.
            entity: only those that have it as subject or object, in any spelling.
            predicate: only those of this predicate.
            history: also those that hold no longer.
            limit: the most to return, >= 1.
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
        """Remove all that is known of a user and return how many facts that were."""
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

    async def survey(self, tenant: str, user_id: str) -> Survey:
        """Remove what is no fact, such as an entity that none touches, and return which facts there are.

        Nobody else may write the user's graph meanwhile.
        """
        ...

    async def stand(self, tenant: str, user_id: str, *, before: UUID | None, after: UUID | None) -> None:
        """Note that the graph of a user is at the state `after`, if it is still at `before`.

        If it is not, somebody has projected meanwhile, and knows better.
        """
        ...


class KeptGraph(FactGraph, GraphUpkeep, Protocol):
    """A graph that can be compared with the truth, and mended."""
