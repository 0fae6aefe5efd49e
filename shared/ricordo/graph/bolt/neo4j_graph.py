"""The graph of facts on a server that speaks Bolt and Cypher: Neo4j, or ArcadeDB on a laptop."""

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from neo4j import AsyncGraphDatabase, AsyncTransaction

from ricordo.graph.bolt import fact_rows
from ricordo.graph.bolt.transactions import GraphSettings, Transactions, blocks, run
from ricordo.graph.port import MAX_DEPTH, EntityNeighbour, Survey
from ricordo.memory.facts import USER, Fact
from ricordo.memory.facts.fact_model import ProjectionVersion, VersionConflict

BATCH: Final = 500
"""Facts in one statement; the statements of one call share a transaction."""

_SCHEMA: Final = blocks("schema")
_FACTS: Final = blocks("facts")
_UPKEEP: Final = blocks("upkeep")
_Item = TypeVar("_Item")
Scope = dict[str, str]
"""The parameters that every query takes: tenant and user."""


@asynccontextmanager
async def open_graph(
    url: str, user: str, password: str, *, database: str = "neo4j", settings: GraphSettings | None = None
) -> AsyncIterator["Neo4jGraph"]:
    """Open a driver for a Bolt server; nothing is sent before the first call.

    Args:
        url: `bolt://host:port` or `neo4j://…`, without credentials.
    """
    settings = settings or GraphSettings()
    async with AsyncGraphDatabase.driver(
        url,
        auth=(user, password),
        connection_timeout=settings.connect_timeout,
        connection_acquisition_timeout=settings.connect_timeout + settings.retry_time,
        max_connection_pool_size=settings.connections,
        user_agent="ricordo",
    ) as driver:
        yield Neo4jGraph(Transactions(driver, database, settings))


class Neo4jGraph:
    """Implements `FactGraph`."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def prepare(self) -> None:
        """Create constraints and indexes."""
        for statement in _SCHEMA.values():
            await self._transactions.change_schema(statement)

    async def project(
        self,
        tenant: str,
        user_id: str,
        facts: Sequence[Fact],
        *,
        gone: Collection[UUID] = (),
        step: ProjectionVersion | None = None,
    ) -> None:
        """Write and remove facts in one transaction."""
        if not facts and not gone and step is None:
            return
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> None:
            if step is not None:
                former = await _stood(transaction, scope, step.after)
                if former not in (step.before, step.after):
                    raise VersionConflict(
                        f"the graph of {tenant}/{user_id} is at {former}, not at {step.before}"
                    )
            await _written(transaction, scope, facts, [str(item) for item in gone])

        await self._transactions.write(work)

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
        """Return entities around one."""
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"depth is 1 or {MAX_DEPTH}, not {depth}")
        scope = {"tenant": tenant, "user_id": user_id, "entity": fact_rows.key(entity), "limit": limit}
        closed: list[str] = [] if past_user else [fact_rows.key(USER)]
        near = await self._transactions.read(_FACTS["adjacent"], scope)
        found = [_neighbour(row, 1) for row in near]
        if depth > 1 and near and len(near) < limit:
            nearer = [row["key"] for row in near]
            found += [
                _neighbour(row, 2)
                for row in await self._transactions.read(
                    _FACTS["beyond"], {**scope, "nearer": nearer, "closed": closed}
                )
            ]
        return found[:limit]

    async def erase(self, tenant: str, user_id: str) -> int:
        """Remove everything of a user."""
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> int:
            counted = await run(transaction, _FACTS["count"], scope)
            await run(transaction, _FACTS["erase"], scope)
            await run(transaction, _FACTS["forget_state"], scope)
            return int(counted[0]["facts"])

        return await self._transactions.write(work)

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user."""
        found = await self._transactions.read(_FACTS["export"], {"tenant": tenant, "user_id": user_id})
        return [fact_rows.fact(row["fact"]) for row in found]

    async def owners(self, tenant: str | None = None) -> Collection[tuple[str, str]]:
        """Return the owners of entities and versions."""
        return {
            (row["tenant"], row["user_id"])
            for query in ("owners", "owners_of_states")
            for row in await self._transactions.read(_UPKEEP[query], {"tenant": tenant})
        }

    async def sweep_ownerless(self, tenants: Collection[str], *, unnamed: bool) -> None:
        """Remove entities without an owner."""
        parameters = {"tenants": sorted(tenants), "unnamed": unnamed}
        await self._transactions.write(partial(run, query=_UPKEEP["sweep_ownerless"], parameters=parameters))

    async def survey(self, tenant: str, user_id: str) -> Survey:
        """Remove invalid nodes and edges, and return the rest."""
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> Survey:
            await run(transaction, _FACTS["sweep_edges"], {**scope, "form": fact_rows.ID})
            await run(transaction, _FACTS["sweep_nameless"], scope)
            edges = await run(transaction, _FACTS["survey"], scope)
            return fact_rows.survey(edges, await run(transaction, _FACTS["isolated"], scope))

        return await self._transactions.write(work)

    async def sweep(self, tenant: str, user_id: str, isolated: Collection[str]) -> None:
        """Remove entities that no fact touches."""
        scope = {"tenant": tenant, "user_id": user_id}
        await self._transactions.write(partial(_swept, scope=scope, keys=isolated))

    async def state(self, tenant: str, user_id: str) -> UUID | None:
        """Return the version that the graph is at."""
        found = await self._transactions.read(_FACTS["state"], {"tenant": tenant, "user_id": user_id})
        return UUID(found[0]["state"]) if found and found[0]["state"] is not None else None

    async def stand(self, tenant: str, user_id: str, *, before: UUID | None, after: UUID | None) -> None:
        """Set the version that the graph is at."""
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "before": None if before is None else str(before),
            "state": None if after is None else str(after),
        }
        query = _FACTS["forget_state_if" if after is None else "stand_if"]
        await self._transactions.write(partial(run, query=query, parameters=parameters))

    async def health(self) -> bool:
        """Return whether the server answers."""
        return await self._transactions.answers()


async def _stood(transaction: AsyncTransaction, scope: Scope, state: UUID | None) -> UUID | None:
    """Set the version of the evidence that the graph is at, and return the former one."""
    kept = None if state is None else str(state)
    (row,) = await run(transaction, _FACTS["stand"], {**scope, "state": kept})
    return None if row["former"] is None else UUID(row["former"])


async def _written(
    transaction: AsyncTransaction, scope: Scope, facts: Sequence[Fact], gone: Collection[str]
) -> None:
    if gone:
        await _removed(transaction, scope, gone)
    for batch in _batches([fact_rows.parameters(fact) for fact in facts]):
        await run(transaction, _FACTS["upsert"], {**scope, "facts": batch})


async def _removed(transaction: AsyncTransaction, scope: Scope, gone: Collection[str]) -> None:
    """Remove facts, and entities left without facts."""
    removed = await run(transaction, _FACTS["remove"], {**scope, "ids": sorted(gone)})
    await _swept(
        transaction, scope, {key for row in removed for key in (row["subject_key"], row["object_key"])}
    )


async def _swept(transaction: AsyncTransaction, scope: Scope, keys: Collection[str]) -> None:
    """Remove those of these entities that no fact touches."""
    for batch in _batches([{"key": key} for key in sorted(keys)]):
        await run(transaction, _FACTS["remove_isolated"], {**scope, "ends": batch})


def _neighbour(row: dict[str, Any], distance: int) -> EntityNeighbour:
    return EntityNeighbour(row["name"], distance, tuple(sorted(row["predicates"])))


def _batches(parameters: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(parameters), BATCH):
        yield parameters[start : start + BATCH]
