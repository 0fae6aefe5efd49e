"""How much is kept in the hot index."""

from ricordo.adapters.postgres.database import Database

_SQL = Database.queries("keeping")


class PostgresKeeping:
    """Implements `Keeping`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Return how many memories there are."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            return int(await connection.fetchval(_SQL["count"], tenant, user_id))
