"""The graph of facts on a server that speaks Bolt and Cypher: Neo4j, or ArcadeDB on a laptop."""

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from neo4j import AsyncGraphDatabase, AsyncTransaction

from ricordo.graph.bolt import rows
from ricordo.graph.bolt.queries import blocks
from ricordo.graph.bolt.transactions import GraphSettings, Transactions, run
from ricordo.graph.port import MAX_DEPTH, Neighbour, Survey
from ricordo.memory.facts import USER, Fact
from ricordo.memory.facts.projection import ProjectionVersion, VersionConflict

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
    """Hold a driver to a Bolt server; nothing is sent before the first call.

    Args:
        url: `bolt://host:port` or `neo4j://…`, without credentials.
        user: name to authenticate with.
        password: its password.
        database: the database that holds the graph.
        settings: how patient to be.
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
    """Implements `FactGraph` and `GraphUpkeep`."""

    def __init__(self, transactions: Transactions) -> None:
        """Read and write through `transactions`."""
        self._transactions = transactions

    async def prepare(self) -> None:
        """Create constraints and indexes; see `FactGraph.prepare`."""
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
        """Write and remove facts in one transaction; see `FactGraph.project`."""
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
            await _written(transaction, scope, facts, [str(one) for one in gone])

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
    ) -> Sequence[Neighbour]:
        """Return entities around one; see `FactGraph.neighbours`."""
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"depth is 1 or {MAX_DEPTH}, not {depth}")
        scope = {"tenant": tenant, "user_id": user_id, "entity": rows.key(entity), "limit": limit}
        closed: list[str] = [] if past_user else [rows.key(USER)]
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
        """Remove all of a user; see `FactGraph.erase`."""
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> int:
            counted = await run(transaction, _FACTS["count"], scope)
            await run(transaction, _FACTS["erase"], scope)
            await run(transaction, _FACTS["forget_state"], scope)
            return int(counted[0]["facts"])

        return await self._transactions.write(work)

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user; see `FactGraph.export`."""
        found = await self._transactions.read(_FACTS["export"], {"tenant": tenant, "user_id": user_id})
        return [rows.fact(row["fact"]) for row in found]

    async def owners(self, tenant: str | None = None) -> Collection[tuple[str, str]]:
        """Return whose entities and states there are; see `GraphUpkeep.owners`."""
        return {
            (row["tenant"], row["user_id"])
            for query in ("owners", "owners_of_states")
            for row in await self._transactions.read(_UPKEEP[query], {"tenant": tenant})
        }

    async def sweep_ownerless(self, tenants: Collection[str], *, unnamed: bool) -> None:
        """Remove entities that are nobody's; see `GraphUpkeep.sweep_ownerless`."""
        parameters = {"tenants": sorted(tenants), "unnamed": unnamed}
        await self._transactions.write(partial(run, query=_UPKEEP["sweep_ownerless"], parameters=parameters))

    async def survey(self, tenant: str, user_id: str) -> Survey:
        """Remove what can be no fact, and return what else is there; see `GraphUpkeep.survey`."""
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> Survey:
            await run(transaction, _FACTS["sweep_edges"], {**scope, "form": rows.ID})
            await run(transaction, _FACTS["sweep_nameless"], scope)
            edges = await run(transaction, _FACTS["survey"], scope)
            return rows.survey(edges, await run(transaction, _FACTS["lonely"], scope))

        return await self._transactions.write(work)

    async def sweep(self, tenant: str, user_id: str, lonely: Collection[str]) -> None:
        """Remove entities that no fact touches; see `GraphUpkeep.sweep`."""
        scope = {"tenant": tenant, "user_id": user_id}
        await self._transactions.write(partial(_swept, scope=scope, keys=lonely))

    async def state(self, tenant: str, user_id: str) -> UUID | None:
        """Return at which state the graph is; see `GraphUpkeep.state`."""
        found = await self._transactions.read(_FACTS["state"], {"tenant": tenant, "user_id": user_id})
        return UUID(found[0]["state"]) if found and found[0]["state"] is not None else None

    async def stand(self, tenant: str, user_id: str, *, before: UUID | None, after: UUID | None) -> None:
        """Note at which state the graph is; see `GraphUpkeep.stand`."""
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "before": None if before is None else str(before),
            "state": None if after is None else str(after),
        }
        query = _FACTS["forget_state_if" if after is None else "stand_if"]
        await self._transactions.write(partial(run, query=query, parameters=parameters))

    async def health(self) -> bool:
        """Whether the server answers just now; see `FactGraph.health`."""
        return await self._transactions.answers()


async def _stood(transaction: AsyncTransaction, scope: Scope, state: UUID | None) -> UUID | None:
    """Keep at which state of the evidence the graph now is, and return at which it was."""
    kept = None if state is None else str(state)
    (row,) = await run(transaction, _FACTS["stand"], {**scope, "state": kept})
    return None if row["former"] is None else UUID(row["former"])


async def _written(
    transaction: AsyncTransaction, scope: Scope, facts: Sequence[Fact], gone: Collection[str]
) -> None:
    if gone:
        await _removed(transaction, scope, gone)
    for batch in _batches([rows.parameters(fact) for fact in facts]):
        await run(transaction, _FACTS["upsert"], {**scope, "facts": batch})


async def _removed(transaction: AsyncTransaction, scope: Scope, gone: Collection[str]) -> None:
    """Remove facts, and the entities that no fact is left of."""
    removed = await run(transaction, _FACTS["remove"], {**scope, "ids": sorted(gone)})
    await _swept(
        transaction, scope, {key for row in removed for key in (row["subject_key"], row["object_key"])}
    )


async def _swept(transaction: AsyncTransaction, scope: Scope, keys: Collection[str]) -> None:
    """Remove those of these entities that no fact touches."""
    for batch in _batches([{"key": key} for key in sorted(keys)]):
        await run(transaction, _FACTS["remove_lonely"], {**scope, "ends": batch})


def _neighbour(row: dict[str, Any], distance: int) -> Neighbour:
    return Neighbour(row["name"], distance, tuple(sorted(row["predicates"])))


def _batches(parameters: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(parameters), BATCH):
        yield parameters[start : start + BATCH]
