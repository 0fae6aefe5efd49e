"""The graph of facts, a projection of the facts in PostgreSQL, written by knowledge alone.

It is on a server that speaks Bolt and Cypher: Neo4j, or ArcadeDB on a laptop.
"""

import logging
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import UUID

from neo4j import AsyncGraphDatabase, AsyncTransaction

from ricordo.graph.fact_paths import (
    entity_key,
    fact_parameters,
    read_fact,
    read_neighbourhood,
    read_paths,
)
from ricordo.graph.graph_model import MAX_STEPS, EntityNeighbour, GraphPath, ReadDelta, Subgraph
from ricordo.graph.transactions import Transactions, blocks, run
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.fact_model import Fact

_SCHEMA: Final = blocks("schema")
_FACTS: Final = blocks("facts")
_UPKEEP: Final = blocks("upkeep")
_CONNECTIONS: Final = 8
_CONNECT_S: Final = 3.0  # until an address counts as down
Scope = dict[str, str]
"""The parameters that every query takes: tenant and user."""


@asynccontextmanager
async def open_graph(
    url: str, user: str, password: str, *, database: str = "neo4j", retry_time: float = 5.0
) -> AsyncIterator["FactGraph"]:
    """Open a driver for a Bolt server; nothing is sent before the first call.

    Args:
        url: `bolt://host:port` or `neo4j://…`, without credentials.
        retry_time: seconds; see `Transactions`.
    """
    # While nobody has a fact that ended, Neo4j warns at each query that it does not know `valid_to`.
    logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)
    async with AsyncGraphDatabase.driver(
        url,
        auth=(user, password),
        connection_timeout=_CONNECT_S,
        connection_acquisition_timeout=_CONNECT_S + retry_time,
        max_connection_pool_size=_CONNECTIONS,
        user_agent="ricordo",
    ) as driver:
        yield FactGraph(Transactions(driver, database, retry_time))


class FactGraph:
    """Entities joined by facts; every call sees one user of one tenant only.

    Every method raises `GraphUnavailable` when the graph does not answer, except `health`.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def prepare(self) -> None:
        """Create missing constraints and indexes; several workers may do so at once."""
        for statement in _SCHEMA.values():
            await self._transactions.change_schema(statement)

    async def project(self, tenant: str, user_id: str, read: ReadDelta) -> int:
        """Bring a user's graph to a version of the facts, in one transaction; return how many were written.

        The user's node is locked before `read` is called, which is why no writer overwrites the facts of a
        later version: whoever comes second reads later. After a transient error all is done again.

        Args:
            read: is given the version that the graph has.

        Raises:
            Exception: of `read`; nothing was written.
        """
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> int:
            (row,) = await run(transaction, _FACTS["lock"], scope)
            delta = await read(row["version"])
            if delta.whole:
                await run(transaction, _FACTS["erase"], scope)
            elif delta.gone:
                await _remove(transaction, scope, delta.gone)
            written = 0
            async for facts in delta.pages:
                written += len(facts)
                rows = [fact_parameters(fact) for fact in facts]
                await run(transaction, _FACTS["upsert"], {**scope, "facts": rows})
            name = "drop_version" if delta.version is None else "set_version"
            await run(transaction, _FACTS[name], {**scope, "version": delta.version})
            return written

        return await self._transactions.write(work)

    async def neighbours(
        self, tenant: str, user_id: str, entity: str, *, limit: int = 100
    ) -> Sequence[EntityNeighbour]:
        """Return the entities one fact that holds away from `entity`, then two, each by name.

        No way leads through the user, to whom nearly everything is near.

        Args:
            limit: maximum number, >= 1.
        """
        scope = {"tenant": tenant, "user_id": user_id, "entity": entity_key(entity), "limit": limit}
        near = await self._transactions.read(_FACTS["adjacent"], scope)
        far: Sequence[dict[str, Any]] = ()
        if near and len(near) < limit:
            passed = {"nearer": [row["key"] for row in near], "closed": [entity_key(USER)]}
            far = await self._transactions.read(_FACTS["beyond"], {**scope, **passed})
        return [
            EntityNeighbour(row["name"], distance, tuple(sorted(row["predicates"])))
            for distance, ring in ((1, near), (2, far))
            for row in ring
        ][:limit]

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
        unless `entity` is the user. An unknown entity has no nodes. Limits leave out the weakest and
        farthest.

        Raises:
            ValueError: `depth` is not 1 to 3.
        """
        _check_steps(depth)
        scope = {"tenant": tenant, "user_id": user_id, "min_confidence": min_confidence}
        return await read_neighbourhood(
            self._transactions, scope, entity, depth=depth, max_nodes=max_nodes, max_edges=max_edges
        )

    async def paths(
        self, tenant: str, user_id: str, start: str, end: str, *, depth: int, min_confidence: int, limit: int
    ) -> Sequence[GraphPath]:
        """Return the strongest paths from `start` to `end`, of at most `depth` facts.

        They follow the facts that a neighbourhood does, and may lead past the user.

        Raises:
            ValueError: `depth` is not 1 to 3.
        """
        _check_steps(depth)
        scope = {"tenant": tenant, "user_id": user_id, "min_confidence": min_confidence}
        return await read_paths(self._transactions, scope, start, end, depth=depth, limit=limit)

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user, past ones too, sorted by id."""
        found = await self._transactions.read(_FACTS["export"], {"tenant": tenant, "user_id": user_id})
        return [read_fact(row["fact"]) for row in found]

    async def owners(self, tenant: str | None = None) -> Collection[tuple[str, str]]:
        """Return tenant and user of everything in the graph, or of one tenant."""
        return {
            (row["tenant"], row["user_id"])
            for query in ("owners", "owners_of_states")
            for row in await self._transactions.read(_UPKEEP[query], {"tenant": tenant})
        }

    async def health(self) -> bool:
        """Return whether the server answers."""
        return await self._transactions.answers(_CONNECT_S)


def _check_steps(depth: int) -> None:
    if not 1 <= depth <= MAX_STEPS:
        raise ValueError(f"depth is 1 to {MAX_STEPS}, not {depth}")


async def _remove(transaction: AsyncTransaction, scope: Scope, gone: Collection[UUID]) -> None:
    """Remove facts, and entities left without facts."""
    ids = sorted(map(str, gone))
    removed = await run(transaction, _FACTS["remove"], {**scope, "ids": ids})
    ends = sorted({key for row in removed for key in (row["subject_key"], row["object_key"])})
    await run(transaction, _FACTS["remove_isolated"], {**scope, "ends": [{"key": key} for key in ends]})
