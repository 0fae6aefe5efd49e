"""The script that backs up a cluster, on a PostgreSQL of this machine, whose programs it is told to use."""

import asyncio
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import asyncpg
import pytest
from tests.contract.stores.conftest import Dsns, new_database

from ricordo.adapters.postgres.migrate import migrate
from ricordo_services.stack.packages import postgres_bin

pytestmark = pytest.mark.integration
__all__ = ["new_database"]

SCRIPT: Final = Path(__file__).parents[3] / "deploy/backup.sh"


def _backup(dsn: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    programs = {
        "PG_DUMP": f"{postgres_bin() / 'pg_dump'} --dbname={dsn}",
        "PG_RESTORE": f"{postgres_bin() / 'pg_restore'} --dbname={dsn}",
    }
    return subprocess.run(
        [str(SCRIPT), *arguments], env={**os.environ, **programs}, capture_output=True, text=True, check=False
    )


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _tenants(dsn: str) -> list[str]:
    connection = await asyncpg.connect(dsn)
    try:
        return [row[0] for row in await connection.fetch("select tenant from tenants order by 1")]
    finally:
        await connection.close()


async def test_the_truth_comes_back(new_database: Callable[[], Dsns], tmp_path: Path) -> None:
    here, there = [await asyncio.to_thread(new_database) for _ in range(2)]
    for one in (here, there):
        await migrate(one.admin)
    await _execute(here.admin, "insert into tenants (tenant) values ('a'), ('b')")
    await _execute(there.admin, "insert into tenants (tenant) values ('z')")
    folder = tmp_path / "saved"
    saved = await asyncio.to_thread(_backup, here.admin, "save", str(folder))
    assert saved.returncode == 0, saved.stderr
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "already" in (await asyncio.to_thread(_backup, here.admin, "save", str(folder))).stderr
    restored = await asyncio.to_thread(_backup, there.admin, "restore", str(folder))
    assert restored.returncode == 0, restored.stderr
    assert await _tenants(there.admin) == ["a", "b"]
    assert await migrate(there.admin) == []
    with (folder / "ricordo.dump").open("r+b") as file:
        file.write(b"?")
    damaged = await asyncio.to_thread(_backup, there.admin, "restore", str(folder))
    assert damaged.returncode == 1
    assert await _tenants(there.admin) == ["a", "b"]
