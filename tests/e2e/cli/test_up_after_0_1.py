"""`ricordo up` continues on what a killed Ricordo 0.1.0 left: rows, streams and consumers of a real one."""

import asyncio
import tarfile
from pathlib import Path
from typing import Final

import asyncpg
import pytest
from tests.e2e.cli.ricordo_command import Ricordo, until, up
from tests.fixtures.former_schema import create_former_schema
from tests.fixtures.stack import local_stack

pytestmark = pytest.mark.slow

FIXTURES: Final = Path(__file__).parents[2] / "fixtures"
MESSAGES: Final = {"ada": 4, "eve": 10, "dan": 5}
"""By user: ada's were remembered, eve's and dan's were stored, and waited for their vectors."""
DEFERRED: Final = "update stages set deferred = true where user_id = 'dan'"  # as 0.1.0 does with a flood


def test_all_that_0_1_stored_becomes_remembered_once(tmp_path: Path) -> None:
    ricordo = Ricordo(tmp_path, {"RICORDO_LIFECYCLE__RECONCILE_EVERY_S": "1"})
    ricordo.data_dir.mkdir(mode=0o700)
    with tarfile.open(FIXTURES / "nats_0023.tar.gz") as archive:
        archive.extractall(ricordo.data_dir, filter="data")
    with local_stack(ricordo.data_dir) as endpoints:
        asyncio.run(_load(endpoints.postgres_admin_dsn))
    with up(ricordo):
        until(lambda: not any(_stats(ricordo, user)["pending"] for user in MESSAGES))
        assert {user: _stats(ricordo, user)["history"] for user in MESSAGES} == MESSAGES
        for user, count in MESSAGES.items():
            for number in range(count):
                assert ricordo.json("status", f"{user}-{number}")["state"] == "remembered"
        assert '"message_id": "ada-0"' in ricordo("dlq", "list", "--json")
        # Vectors and the graph of ada's messages are not in the fixture: they are rebuilt from the rows.
        ricordo("reindex")
        until(lambda: not _stats(ricordo, "ada")["pending"])
        assert "Dublin" in ricordo("recall", "Where does my sister live?", "--user", "ada")
        assert "Lupo" in ricordo("facts", "--user", "eve")


def _stats(ricordo: Ricordo, user: str) -> dict[str, int]:
    found: dict[str, int] = ricordo.json("stats", "--user", user)
    return found


async def _load(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await create_former_schema(connection)
        await connection.execute("set session_replication_role = replica")  # no triggers: all rows are here
        await connection.execute((FIXTURES / "rows_0023.sql").read_text(encoding="utf-8"))
        await connection.execute(DEFERRED)
    finally:
        await connection.close()
