"""Transactions on a Bolt server, retried after transient errors; named blocks of Cypher."""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from functools import cache, partial
from importlib.resources import files
from typing import Any, Final, LiteralString, TypeVar, cast

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

from ricordo.graph.graph_model import GraphUnavailable

_TRANSIENT: Final = (ServiceUnavailable, SessionExpired, TransientError, ConstraintError, OSError)
_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 0.5
_NAME: Final = re.compile(r"^// name: (\w+)\s*$", re.MULTILINE)
_Result = TypeVar("_Result")
Work = Callable[[AsyncTransaction], Awaitable[_Result]]


class Transactions:
    """Transactions on one database; each call raises `GraphUnavailable` if the server does not answer.

    Args:
        retry_time: seconds for which a call is retried after a transient error: the server is down, or
            another worker's write conflicts.
    """

    def __init__(self, driver: AsyncDriver, database: str, retry_time: float) -> None:
        self._driver = driver
        self._database = database
        self._retry_time = retry_time

    async def answers(self, within: float) -> bool:
        """Return whether the server answers within so many seconds."""
        try:
            async with asyncio.timeout(within):
                await self._driver.verify_connectivity()
        except (TimeoutError, DriverError, Neo4jError, OSError):
            return False
        return True

    async def change_schema(self, statement: LiteralString) -> None:
        """Run a statement that creates a constraint or an index."""

        async def attempt() -> None:  # in a transaction of its own, which a schema change requires
            async with self._driver.session(database=self._database) as session:
                await (await session.run(statement)).consume()

        await self._repeated(attempt)

    async def write(self, work: Work[_Result]) -> _Result:
        """Run `work` in one transaction, again as a whole after a transient error."""
        return await self._repeated(partial(self._transaction, WRITE_ACCESS, work))

    async def read(self, query: LiteralString, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        work = partial(run, query=query, parameters=parameters)
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
        """Run `attempt` until it succeeds, fails permanently, or `retry_time` is over.

        Two workers that create or lock the same nodes conflict for milliseconds, much less than the driver's
        own retries wait.
        """
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + self._retry_time, _FIRST_PAUSE
        while True:
            try:
                return await attempt()
            except AuthError as error:
                raise GraphUnavailable(f"the graph refuses the credentials: {error.message}") from error
            except _TRANSIENT as error:
                if loop.time() + pause > deadline:
                    reason = " ".join(str(error).split())
                    raise GraphUnavailable(f"the graph does not answer: {reason}") from error
            await asyncio.sleep(random.uniform(pause / 2, pause))
            pause = min(2 * pause, _LONGEST_PAUSE)


async def run(
    transaction: AsyncTransaction, query: LiteralString, parameters: dict[str, Any]
) -> list[dict[str, Any]]:
    """Run a query in a transaction, and return its rows."""
    result = await transaction.run(query, parameters)
    return await result.data()


@cache
def blocks(file: str) -> dict[str, LiteralString]:
    """Return the named blocks of `cypher/<file>.cypher`; a block begins with a line `// name: the_name`."""
    text = files(__package__).joinpath("cypher", f"{file}.cypher").read_text(encoding="utf-8")
    parts = _NAME.split(text)[1:]
    found = {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
    # The driver requires literals, so that no value is spliced into a query: these are files of this package.
    return {name: cast("LiteralString", body) for name, body in found.items()}
