"""Transactions on a Bolt server, repeated while what is in their way will pass."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, LiteralString, TypeVar

from neo4j import READ_ACCESS, WRITE_ACCESS, AsyncDriver, AsyncTransaction
from neo4j.exceptions import (
    AuthError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from ricordo.graph.port import GraphUnavailable

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


class Transactions:
    """Transactions on one database.

    Args:
        driver: which the caller closes.
        database: its name.
        settings: how patient to be.
    """

    def __init__(self, driver: AsyncDriver, database: str, settings: GraphSettings) -> None:
        self._driver = driver
        self._database = database
        self._settings = settings

    async def answers(self) -> bool:
        """Whether the server answers just now."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                await self._driver.verify_connectivity()
        except (TimeoutError, DriverError, Neo4jError, OSError):
            return False
        return True

    async def change_schema(self, statement: LiteralString) -> None:
        """Run a statement that creates a constraint or an index.

        Raises:
            GraphUnavailable: the server does not answer.
        """
        await self._repeated(partial(self._schema, statement))

    async def write(self, work: Work[_Result]) -> _Result:
        """Do `work` in one transaction; whenever something passing fails it, all of it again.

        Raises:
            GraphUnavailable: the server does not answer.
        """
        return await self._repeated(partial(self._transaction, WRITE_ACCESS, work))

    async def read(self, query: LiteralString, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the rows of a query.

        Raises:
            GraphUnavailable: the server does not answer.
        """
        work = partial(run, query=query, parameters=parameters)
        return await self._repeated(partial(self._transaction, READ_ACCESS, work))

    async def _schema(self, statement: LiteralString) -> None:
        # A change of the schema takes a transaction of its own and may not stand beside other statements.
        async with self._driver.session(database=self._database) as session:
            await (await session.run(statement)).consume()

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
                    raise GraphUnavailable(f"the graph does not answer: {_in_a_line(error)}") from error
            await asyncio.sleep(random.uniform(pause / 2, pause))
            pause = min(2 * pause, _LONGEST_PAUSE)


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split())


async def run(
    transaction: AsyncTransaction, query: LiteralString, parameters: dict[str, Any]
) -> list[dict[str, Any]]:
    """Run a query in a transaction, and return its rows."""
    result = await transaction.run(query, parameters)
    return await result.data()
