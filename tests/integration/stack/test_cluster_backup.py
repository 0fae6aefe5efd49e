"""The script that backs up a cluster, on a PostgreSQL of this machine, whose programs it is told to use."""

import asyncio
import hashlib
import os
import stat
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import asyncpg
from tests.contract.store.conftest import Dsns, execute, new_database
from tests.fixtures.former_schema import create_former_schema
from tests.support.factories import new_message

from ricordo.store.database import Database
from ricordo.store.intake import IntakeStore
from ricordo.store.schema import OLDEST, migrate, newest_schema
from ricordo_services.stack.packages import postgres_bin

__all__ = ["new_database"]

SCRIPT: Final = Path(__file__).parents[3] / "deploy/backup.sh"


def _backup(dsn: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    programs = {
        "PG_DUMP": f"{postgres_bin() / 'pg_dump'} --dbname={dsn}",
        "PG_RESTORE": str(postgres_bin() / "pg_restore"),
        "PSQL": f"{postgres_bin() / 'psql'} --dbname={dsn}",
    }
    return subprocess.run(
        [str(SCRIPT), *arguments], env={**os.environ, **programs}, capture_output=True, text=True, check=False
    )


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
    await execute(here.admin, "insert into tenants (tenant) values ('a'), ('b')")
    await execute(there.admin, "insert into tenants (tenant) values ('z')")
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


async def test_a_dump_of_an_earlier_version_takes_the_place_of_a_newer_one(
    new_database: Callable[[], Dsns], tmp_path: Path
) -> None:
    here, there = [await asyncio.to_thread(new_database) for _ in range(2)]
    owner = await asyncpg.connect(here.admin)
    try:
        await create_former_schema(owner)
    finally:
        await owner.close()
    await migrate(there.admin)
    await execute(here.admin, "insert into tenants (tenant) values ('a')")
    await execute(there.admin, "insert into tenants (tenant) values ('z')")
    folder = tmp_path / "saved"
    assert (await asyncio.to_thread(_backup, here.admin, "save", str(folder))).returncode == 0
    restored = await asyncio.to_thread(_backup, there.admin, "restore", str(folder))
    assert restored.returncode == 0, restored.stderr
    applied = await migrate(there.admin)
    assert len(applied) == newest_schema() - OLDEST
    assert await _tenants(there.admin) == ["a"]
    async with Database.connect(there.worker, size=2) as database:  # bound, and able to do its work
        now = datetime(2026, 3, 1, tzinfo=UTC)
        (taken,) = await IntakeStore(database).record("a", [new_message("m")], now)
        assert taken.status == "kept"
        async with database.transaction("another") as connection:
            assert await connection.fetch("select tenant from memories") == []
    again = tmp_path / "again"
    assert (await asyncio.to_thread(_backup, there.admin, "save", str(again))).returncode == 0
    assert (await asyncio.to_thread(_backup, here.admin, "restore", str(again))).returncode == 0
    assert await migrate(here.admin) == []


async def test_a_dump_that_breaks_off_replaces_nothing(
    new_database: Callable[[], Dsns], tmp_path: Path
) -> None:
    here = await asyncio.to_thread(new_database)
    await migrate(here.admin)
    await execute(here.admin, "insert into tenants select md5(n::text) from generate_series(1, 20000) n")
    folder = tmp_path / "saved"
    assert (await asyncio.to_thread(_backup, here.admin, "save", str(folder))).returncode == 0
    await execute(here.admin, "delete from tenants where tenant <> md5('1')")
    (left,) = await _tenants(here.admin)
    whole = (folder / "ricordo.dump").read_bytes()
    for size in (0, len(whole) // 8, len(whole) * 3 // 4):  # before, in what it lists, and amid rows
        (folder / "ricordo.dump").write_bytes(whole[:size])
        digest = hashlib.sha256(whole[:size]).hexdigest()
        (folder / "SHA256SUMS").write_text(f"{digest}  ricordo.dump\n", encoding="utf-8")
        broken = await asyncio.to_thread(_backup, here.admin, "restore", str(folder))
        assert broken.returncode != 0, (size, broken.stdout)
        assert "restored" not in broken.stdout
        assert await _tenants(here.admin) == [left]
