"""What backups and restores need of PostgreSQL: which schema it has, and what was asked to be forgotten."""

from collections.abc import Sequence

from ricordo.store.burials import carry, schema_version, tombstones
from ricordo.store.migrate import migrate, migrations
from ricordo.store.types.erasing import Tombstone

__all__ = ["forget_again", "newest_schema", "schema_version", "tombstones"]


def newest_schema() -> int:
    """Return the newest version of the schema that is known here."""
    return migrations()[-1].version


async def forget_again(admin_dsn: str, stones: Sequence[Tombstone]) -> int:
    """Have it forgotten in a database too, whose schema is brought to this version before.

    Returns:
        How many erasures begin anew: whoever runs on the database does them.

    Raises:
        SchemaTooNew: a newer version has been here.
        StoreUnavailable: nobody answers there.
    """
    await migrate(admin_dsn)
    return await carry(admin_dsn, stones)
