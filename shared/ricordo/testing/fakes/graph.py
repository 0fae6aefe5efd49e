"""The graph of facts in memory."""

from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from ricordo.graph.port import MAX_DEPTH, EntityNeighbour, GraphUnavailable, Survey
from ricordo.memory.facts import USER, Fact, normalise
from ricordo.memory.facts.projection import ProjectionVersion, VersionConflict


class MemoryGraph:
    """Implements `FactGraph` and `FactGraph`.

    Attributes:
        away: while set, nothing answers.
    """

    def __init__(self) -> None:
        self.away = False
        self._facts: dict[tuple[str, str], dict[UUID, Fact]] = {}
        self._states: dict[tuple[str, str], UUID | None] = {}

    async def prepare(self) -> None:
        """Nothing has to be created; see `FactGraph.prepare`."""
        self._answer()

    async def project(
        self,
        tenant: str,
        user_id: str,
        facts: Sequence[Fact],
        *,
        gone: Collection[UUID] = (),
        step: ProjectionVersion | None = None,
    ) -> None:
        """Write and remove facts; see `FactGraph.project`."""
        self._answer()
        if step is not None:
            if self._states.get((tenant, user_id)) not in (step.before, step.after):
                raise VersionConflict
            self._states[tenant, user_id] = step.after
        held = self._facts.setdefault((tenant, user_id), {})
        for one in gone:
            held.pop(one, None)
        held.update({fact.id: fact for fact in facts})

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
        """Return entities around one; see `FactGraph.neighbours`."""
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"depth is 1 or {MAX_DEPTH}, not {depth}")
        facts = [fact for fact in self._of(tenant, user_id) if fact.current]
        names = dict(
            pair for fact in facts for pair in zip(_ends(fact), (fact.subject, fact.object), strict=True)
        )
        seen, edge = {normalise(entity)}, {normalise(entity)}
        found: list[EntityNeighbour] = []
        for distance in range(1, depth + 1):
            reached = _beyond(facts, edge, seen)
            ring = [EntityNeighbour(names[key], distance, tuple(sorted(reached[key]))) for key in reached]
            found += sorted(ring, key=lambda one: one.name)
            seen |= set(reached)
            edge = set(reached) if past_user else set(reached) - {USER}
        return found[:limit]

    async def erase(self, tenant: str, user_id: str) -> int:
        """Remove all of a user; see `FactGraph.erase`."""
        self._answer()
        self._states.pop((tenant, user_id), None)
        return len(self._facts.pop((tenant, user_id), {}))

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user; see `FactGraph.export`."""
        return sorted(self._of(tenant, user_id), key=lambda fact: str(fact.id))

    async def owners(self, tenant: str | None = None) -> Collection[tuple[str, str]]:
        """Return whose facts and states there are; see `FactGraph.owners`."""
        self._answer()
        held = {owner for owner, facts in self._facts.items() if facts}
        return {owner for owner in held.union(self._states) if tenant in (None, owner[0])}

    async def survey(self, tenant: str, user_id: str) -> Survey:
        """Return which facts there are: nothing is broken or isolated; see `FactGraph.survey`."""
        return Survey(frozenset(fact.id for fact in self._of(tenant, user_id)))

    async def sweep(self, tenant: str, user_id: str, isolated: Collection[str]) -> None:  # noqa: ARG002
        """No entity is isolated here; see `FactGraph.sweep`."""
        self._answer()

    async def sweep_ownerless(self, tenants: Collection[str], *, unnamed: bool) -> None:  # noqa: ARG002
        """Nothing is nobody's here; see `FactGraph.sweep_ownerless`."""
        self._answer()

    async def state(self, tenant: str, user_id: str) -> UUID | None:
        """Return at which state the graph is; see `FactGraph.state`."""
        self._answer()
        return self._states.get((tenant, user_id))

    async def stand(self, tenant: str, user_id: str, *, before: UUID | None, after: UUID | None) -> None:
        """Note at which state the graph is; see `FactGraph.stand`."""
        self._answer()
        if self._states.get((tenant, user_id)) != before:
            return
        self._states.pop((tenant, user_id), None)
        if after is not None:
            self._states[tenant, user_id] = after

    async def health(self) -> bool:
        """Whether it answers; see `FactGraph.health`."""
        return not self.away

    def _of(self, tenant: str, user_id: str) -> Iterator[Fact]:
        self._answer()
        yield from self._facts.get((tenant, user_id), {}).values()

    def _answer(self) -> None:
        if self.away:
            raise GraphUnavailable("the graph is away")


def _ends(fact: Fact) -> tuple[str, str]:
    return normalise(fact.subject), normalise(fact.object)


def _beyond(facts: Sequence[Fact], edge: Collection[str], seen: Collection[str]) -> dict[str, set[str]]:
    reached: dict[str, set[str]] = {}
    for fact in facts:
        subject, value = _ends(fact)
        for near, far in ((subject, value), (value, subject)):
            if near in edge and far not in seen:
                reached.setdefault(far, set()).add(fact.predicate)
    return reached
