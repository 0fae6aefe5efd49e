"""Of which users anything is held, for who goes through all of them."""

from collections.abc import AsyncGenerator

from ricordo.settings import Settings
from ricordo.store.database import Database
from ricordo.store.exporting import PostgresHoldings


async def users_held(settings: Settings, tenant: str) -> AsyncGenerator[str, None]:
    """Yield the users of a tenant of whom anything is held, in order.

    Raises:
        StoreUnavailable: PostgreSQL does not answer.
    """
    async with Database.connect(settings.stores.postgres_dsn.get_secret_value(), size=1) as database:
        holdings, behind = PostgresHoldings(database), ""
        while (user := await holdings.next_user(tenant, behind)) is not None:
            yield user
            behind = user
