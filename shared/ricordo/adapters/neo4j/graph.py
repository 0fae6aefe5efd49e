"""The graph of facts on a server that speaks Bolt and Cypher: Neo4j, or ArcadeDB on a laptop."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, LiteralString, TypeVar
from uuid import UUID

from neo4j import READ_ACCESS, WRITE_ACCESS, AsyncDriver, AsyncGraphDatabase, AsyncTransaction
from neo4j.exceptions import (
    AuthError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from ricordo.adapters.neo4j import rows
from ricordo.adapters.neo4j.queries import blocks
from ricordo.domain.facts import Fact, normalise
from ricordo.ports.graph import MAX_DEPTH, GraphUnavailable, Neighbour

BATCH: Final = 500
"""Facts in one statement; the statements of one call share a transaction."""

_SCHEMA: Final = blocks("schema")
_FACTS: Final = blocks("facts")
_PASSING: Final = (ServiceUnavailable, SessionExpired, TransientError, ConstraintError, OSError)
_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 0.5
_Result = TypeVar("_Result")
Work = Callable[[AsyncTransaction], Awaitable[_Result]]


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """How patient the adapter is.

    Attributes:
        connect_timeout: seconds until an address counts as away.
        retry_time: seconds for which a call is repeated that failed for a passing reason: the server is
            away, or another worker's write was in the way.
        connections: the most that are open at once.
    """

    connect_timeout: float = 3.0
    retry_time: float = 5.0
    connections: int = 8


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
        yield Neo4jGraph(driver, database, settings)


class Neo4jGraph:
    """Implements `FactGraph`."""

    def __init__(self, driver: AsyncDriver, database: str, settings: GraphSettings) -> None:
        """Read and write `database` through `driver`, which the caller closes."""
        self._driver = driver
        self._database = database
        self._settings = settings

    async def prepare(self) -> None:
        """Create constraints and indexes; see `FactGraph.prepare`."""
        for statement in _SCHEMA.values():
            await self._repeated(partial(self._schema, statement))

    async def project(
        self, tenant: str, user_id: str, facts: Sequence[Fact], *, gone: Collection[UUID] = ()
    ) -> None:
        """Write and remove facts in one transaction; see `FactGraph.project`."""
        if not facts and not gone:
            return
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> None:
            for batch in _batches([rows.parameters(fact) for fact in facts]):
                await _run(transaction, _FACTS["upsert"], {**scope, "facts": batch})
            if gone:
                await _run(transaction, _FACTS["remove"], {**scope, "ids": [str(one) for one in gone]})
                await _run(transaction, _FACTS["remove_lonely"], scope)

        await self._write(work)

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
        """Return facts, most confident first; see `FactGraph.facts`."""
        found = await self._read(
            _FACTS["facts"],
            {
                "tenant": tenant,
                "user_id": user_id,
                "entity": None if entity is None else normalise(entity),
                "predicate": predicate,
                "history": history,
                "limit": limit,
            },
        )
        return [rows.fact(row["fact"]) for row in found]

    async def neighbours(
        self, tenant: str, user_id: str, entity: str, *, depth: int = 1, limit: int = 100
    ) -> Sequence[Neighbour]:
        """Return entities around one; see `FactGraph.neighbours`."""
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"depth is 1 or {MAX_DEPTH}, not {depth}")
        scope = {"tenant": tenant, "user_id": user_id, "entity": normalise(entity), "limit": limit}
        near = await self._read(_FACTS["adjacent"], scope)
        found = [_neighbour(row, 1) for row in near]
        if depth > 1 and near and len(near) < limit:
            nearer = [row["key"] for row in near]
            found += [
                _neighbour(row, 2) for row in await self._read(_FACTS["beyond"], {**scope, "nearer": nearer})
            ]
        return found[:limit]

    async def erase(self, tenant: str, user_id: str) -> int:
        """Remove all of a user; see `FactGraph.erase`."""
        scope = {"tenant": tenant, "user_id": user_id}

        async def work(transaction: AsyncTransaction) -> int:
            counted = await _run(transaction, _FACTS["count"], scope)
            await _run(transaction, _FACTS["erase"], scope)
            return int(counted[0]["facts"])

        return await self._write(work)

    async def export(self, tenant: str, user_id: str) -> Sequence[Fact]:
        """Return all facts of a user; see `FactGraph.export`."""
        found = await self._read(_FACTS["export"], {"tenant": tenant, "user_id": user_id})
        return [rows.fact(row["fact"]) for row in found]

    async def health(self) -> bool:
        """Whether the server answers just now; see `FactGraph.health`."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                await self._driver.verify_connectivity()
        except (TimeoutError, DriverError, Neo4jError, OSError):
            return False
        return True

    async def _schema(self, statement: LiteralString) -> None:
        # A change of the schema takes a transaction of its own and may not stand beside other statements.
        async with self._driver.session(database=self._database) as session:
            await (await session.run(statement)).consume()

    async def _write(self, work: Work[_Result]) -> _Result:
        return await self._repeated(partial(self._transaction, WRITE_ACCESS, work))

    async def _read(self, query: LiteralString, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        work = partial(_run, query=query, parameters=parameters)
        return await self._repeated(partial(self._transaction, READ_ACCESS, work))

    async def _transaction(self, access: str, work: Work[_Result]) -> _Result:
        async with (
            self._driver.session(database=self._database, default_access_mode=access) as session,
            await session.begin_transaction() as transaction,
        ):
            result = await work(transaction)
            await transaction.commit()
            return result

    async def _repeated(self, attempt: Callable[[], Awaitable[_Result]]) -> _Result:
        """Run `attempt` until it succeeds, fails for good, or `retry_time` is over.

        Two workers that create one node at once, or lock the same ones, get in each other's way for
        milliseconds: much less than the driver's own retries wait.
        """
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + self._settings.retry_time, _FIRST_PAUSE
        while True:
            try:
                return await attempt()
            except AuthError as error:
                raise GraphUnavailable(f"the graph does not let us in: {error.message}") from error
            except _PASSING as error:
                if loop.time() + pause > deadline:
                    raise GraphUnavailable(f"the graph does not answer: {error}") from error
            await asyncio.sleep(random.uniform(pause / 2, pause))
            pause = min(2 * pause, _LONGEST_PAUSE)


async def _run(
    transaction: AsyncTransaction, query: LiteralString, parameters: dict[str, Any]
) -> list[dict[str, Any]]:
    result = await transaction.run(query, parameters)
    return await result.data()


def _neighbour(row: dict[str, Any], distance: int) -> Neighbour:
    return Neighbour(row["name"], distance, tuple(sorted(row["predicates"])))


def _batches(parameters: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    for start in range(0, len(parameters), BATCH):
        yield parameters[start : start + BATCH]
