"""Transactions that keep evidence, fold it and have a projection follow, whoever the evidence comes from."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

from ricordo.memory.facts import FactChanges, Folding
from ricordo.store.beside import Beside
from ricordo.store.database import Connection, Database
from ricordo.store.refolding import New, Refolding, RememberedFoldings
from ricordo.store.types.facts import Learned, Project, Step

_SQL = Database.queries("facts")


class Folds:
    """Opens such transactions, and remembers from one to the next what was folded.

    Args:
        database: the connections.
        beside: computes what takes long; None to compute on the event loop.
        remembered: how much is remembered over all users, in kilobytes.
        doubting: whether it is written down where rules cannot say who is who.
    """

    def __init__(
        self, database: Database, beside: Beside | None, remembered: int, *, doubting: bool = False
    ) -> None:
        self._database = database
        self._doubting = doubting
        self._beside = beside
        self._remembered = RememberedFoldings(remembered)

    @asynccontextmanager
    async def of(
        self, tenant: str, users: Sequence[str], project: Project
    ) -> AsyncIterator["FoldingTransaction"]:
        """Open a transaction under the locks of `users`; what is folded is remembered once it is committed.

        Raises:
            StoreUnavailable: nothing was written here.
            Exception: whatever `project` raised; nothing was written here.
        """
        try:
            async with self._database.transaction(tenant) as connection:
                await connection.execute(_SQL["lock_users"], tenant, sorted(users))
                transaction = FoldingTransaction(
                    connection, tenant, project, self._beside, self._remembered, doubting=self._doubting
                )
                yield transaction
        except _NotProjected as failure:
            raise failure.error from None
        transaction.remember()


class FoldingTransaction:
    """One of them.

    Attributes:
        connection: what keeps the evidence.
    """

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        project: Project,
        beside: Beside | None,
        remembered: RememberedFoldings,
        *,
        doubting: bool,
    ) -> None:
        self.connection = connection
        self._tenant = tenant
        self._project = project
        self._beside = beside
        self._remembered = remembered
        self._doubting = doubting
        self._folded: list[tuple[str, Folding, UUID]] = []

    async def fold(self, new: Mapping[str, New]) -> dict[str, FactChanges]:
        """Fold what was kept of each user, and project what that has changed; return it by user."""
        changes: dict[str, FactChanges] = {}
        folded: dict[str, Folding] = {}
        users = sorted(new)
        for user_id in users:
            remembered = None if new[user_id].renamed else new[user_id].state
            known = self._remembered.take(self._tenant, user_id, remembered)
            folding = folded[user_id] = known or Folding(self._tenant, user_id)
            refolding = Refolding(self.connection, self._tenant, user_id, self._beside, self._doubting)
            changes[user_id] = await refolding.fold(folding, new[user_id])
        states = await self.states(users)  # at last: whom evidence speaks of may have changed its keys
        for user_id in users:
            step = Step(new[user_id].state, states.get(user_id))
            await self._follow(Learned(user_id, changes[user_id].facts, changes[user_id].gone, step))
        self._folded += [(user_id, folded[user_id], state) for user_id, state in states.items()]
        return changes

    async def states(self, users: Sequence[str]) -> dict[str, UUID]:
        """Return the states in which the evidence of users is now."""
        found = await self.connection.fetch(_SQL["states"], self._tenant, users) if users else []
        return {row["user_id"]: row["state"] for row in found}

    def remember(self) -> None:
        """Remember what was folded, now that it is committed."""
        for user_id, folding, state in self._folded:
            self._remembered.keep(self._tenant, user_id, folding, state)

    async def _follow(self, learned: Learned) -> None:
        """Have the projection follow."""
        try:
            await self._project(learned)
        except Exception as error:
            raise _NotProjected(error) from error


class _NotProjected(Exception):
    """Carries what `project` raised out of the transaction: it is not PostgreSQL that failed."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error
