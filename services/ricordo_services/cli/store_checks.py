"""Checks PostgreSQL, the graph, the index and the room on the disk, from where `doctor` runs."""

import asyncio
import shutil
from collections import Counter
from pathlib import Path
from typing import Final

import asyncpg
import neo4j
import neo4j.exceptions

from ricordo.client.addresses import without_credentials
from ricordo.settings import BusSettings, Settings
from ricordo_services.cli.bus_checks import Finding, State, missing, well

_SECONDS: Final = 3.0
_COUNTING_S: Final = 20.0  # over all tenants and memories
_BLOCK: Final = 512  # bytes, of what a file really takes: the index reserves more than it fills
_AMPLE: Final = 4  # times what must be free: whoever has less is warned
_FREE_SPACE: Final = "free some space on that volume: what waits is indexed by itself then, and none is lost"
_REBUILT: Final = "recall finds less until the worker `index` has done it; nothing else has to be done"
_ASIDE: Final = (".damaged", ".partial")
_SCHEMA: Final = "select max(version) from schema_migrations"
_TENANTS: Final = "select tenant from tenants order by tenant"
_OF_TENANT: Final = "select set_config('app.tenant', $1, false)"
_VECTORS: Final = "select model, count(*) as number from vectors where tenant = $1 group by model"
_REFUSED: Final = (
    "select model, count(*) as number from vectors where tenant = $1 and vector is null group by model"
)
_AWAY: Final = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError)
"""What is raised where PostgreSQL does not answer."""
_GIVEN: Final = 0.75  # of what is free when NATS starts, which it then gives to streams: its default
_LAST_STREAM: Final = "jetstream/*/streams/RICORDO_DLQ"
"""The folder of the stream that is created last."""
_MAKE_ROOM: Final = (
    "free some space there, choose another folder with --data-dir, or set RICORDO_BUS__INPUT_BYTES, "
    "RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES to less"
)


async def check_stores(settings: Settings, model: str, assigned: str, *, named: bool) -> list[Finding]:
    """Check PostgreSQL, its vectors, which should be of `model`, and the graph, if anything names them."""
    if not named:
        unseen = "not named by the settings, so not looked at; workers look at their own"
        return [Finding(name, State.NOTED, unseen) for name in ("postgres", "graph")]
    postgres = await _check_postgres(settings)
    vectors = await _check_vectors(settings, model, assigned) if postgres.state is State.WELL else []
    return [postgres, *vectors, await _check_graph(settings)]


async def _check_postgres(settings: Settings) -> Finding:
    admin = settings.stores.postgres_admin_dsn
    dsn = (admin or settings.stores.postgres_dsn).get_secret_value()
    where = without_credentials(dsn).partition("?")[0]
    try:
        connection = await asyncpg.connect(dsn, timeout=_SECONDS)
    except _AWAY as error:
        told = f"{where} does not answer ({str(error) or type(error).__name__})"
        return missing("postgres", told, "is it running, is the DSN right?")
    try:
        version = await connection.fetchval("show server_version")
        tables = await connection.fetchval("select to_regclass('memories') is not null")
        schema = await connection.fetchval(_SCHEMA) if admin and tables else None
    finally:
        await connection.close()
    if not tables:
        told = f"{where} {version} has no schema"
        return missing("postgres", told, "a worker with the admin DSN makes it")
    return well("postgres", f"{where} {version}{f', schema {schema}' if schema else ''}")


async def _check_vectors(settings: Settings, model: str, assigned: str) -> list[Finding]:
    """Report memories whose vectors are of another embedding model than `model`, or that have none."""
    counted, refused = await count_vectors(settings), await count_vectors(settings, query=_REFUSED)
    if isinstance(counted, str) or isinstance(refused, str):
        return [Finding("vectors", State.NOTED, f"of which models they are was not found out ({counted})")]
    command = f"`{assigned}ricordo backfill --only vectors`"
    findings = []
    if others := {name: number for name, number in sorted(counted.items()) if name != model}:
        former = ", ".join(f"{number} of {name}" for name, number in others.items())
        advice = f"{command} encodes them by it, beside the workers"
        findings.append(Finding("vectors", State.DEGRADED, f"not yet of {model}: {former}", advice))
    if number := refused.total():
        detail = f"memories whose text the model refused, and that are found by their words alone: {number}"
        findings.append(Finding("refused texts", State.NOTED, detail, f"{command} tries them again"))
    return findings


async def count_vectors(
    settings: Settings, tenant: str | None = None, query: str = _VECTORS
) -> Counter[str] | str:
    """Count vectors by embedding model, of a tenant or of all; or return the reason why not."""
    stores = settings.stores
    dsn = (stores.postgres_admin_dsn or stores.postgres_dsn).get_secret_value()
    found: Counter[str] = Counter()
    try:
        connection = await asyncpg.connect(dsn, timeout=_SECONDS)
        try:
            async with asyncio.timeout(_COUNTING_S):
                known = [row["tenant"] for row in await connection.fetch(_TENANTS)]
                for one in known if tenant is None else [tenant]:
                    await connection.execute(_OF_TENANT, one)
                    rows = await connection.fetch(query, one)
                    found.update({row["model"]: row["number"] for row in rows})
        finally:
            await connection.close(timeout=_SECONDS)
    except _AWAY as error:
        return str(error) or type(error).__name__
    return found


async def _check_graph(settings: Settings) -> Finding:
    """Check that the Bolt server answers a query."""
    stores = settings.stores
    auth = (stores.bolt_user, stores.bolt_password.get_secret_value())
    try:
        async with (
            asyncio.timeout(2 * _SECONDS),
            neo4j.AsyncGraphDatabase.driver(
                stores.bolt_url, auth=auth, connection_timeout=_SECONDS, max_transaction_retry_time=0
            ) as driver,
            driver.session(database=stores.bolt_database) as session,
        ):
            await (await session.run("RETURN 1")).consume()
    except (OSError, ValueError, neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        advice = "facts are answered without it, but new ones wait: start it"
        return Finding("graph", State.DEGRADED, f"{stores.bolt_url} does not answer ({reason})", advice)
    return well("graph", stores.bolt_url)


def check_index(data_dir: Path | None, settings: Settings) -> Finding:
    """Check the folder of the index and its free space."""
    if settings.stores.qdrant_url:
        return Finding("index", State.NOTED, f"{settings.stores.qdrant_url}, asked by the workers")
    folder = settings.stores.qdrant_dir or (data_dir / "qdrant" if data_dir else None)
    if folder is None or not folder.is_dir():
        return Finding("index", State.NOTED, "kept by the embedding worker, where it runs")
    damaged = sorted(entry.stem for entry in folder.glob("*.rebuild"))
    folders = (entry for entry in sorted(folder.iterdir()) if entry.is_dir())
    collections = [entry.name for entry in folders if entry.suffix not in _ASIDE]
    size = sum(entry.stat().st_blocks * _BLOCK for entry in folder.rglob("*") if entry.is_file()) / 1e6
    seen = f"{folder}: {', '.join(collections) or 'empty'}, {size:.1f} MB"
    if damaged:
        told = f"{seen}; damaged, and written anew from PostgreSQL: {', '.join(damaged)}"
        return Finding("index", State.DEGRADED, told, _REBUILT)
    free, least = shutil.disk_usage(folder).free / 1e6, settings.stores.qdrant_min_free_mb
    if free < least:
        told = f"{seen}; only {free:.0f} MB are free there: nothing more is indexed below {least}"
        return Finding("index", State.DEGRADED, told, _FREE_SPACE)
    if free < _AMPLE * least:
        told = f"{seen}; {free:.0f} MB are free there, and indexing stops below {least}"
        return Finding("index", State.NOTED, told, "free some space soon")
    return well("index", seen)


def describe_room(data_dir: Path, needed: int) -> str:
    """Describe the free space for the streams of NATS, and what is needed.

    Args:
        needed: bytes that all streams may take together.
    """
    return (
        f"its folder is {data_dir / 'nats'}, on a volume where {_free(data_dir) / 1e6:,.0f} MB are free and "
        f"{needed / _GIVEN / 1e6:,.0f} MB would do"
    )


def check_room(data_dir: Path, bus: BusSettings) -> list[Finding]:
    """Check that `ricordo up` has room for its streams; nothing if it has, or if they exist already."""
    needed = bus.input_bytes + bus.events_bytes + bus.dead_letter_bytes
    if any((data_dir / "nats").glob(_LAST_STREAM)) or needed <= _GIVEN * _free(data_dir):
        return []
    told = f"the streams of NATS may take {needed / 1e6:,.0f} MB: {describe_room(data_dir, needed)}"
    return [missing("room", told, _MAKE_ROOM)]


def _free(folder: Path) -> int:
    """Return the free bytes on the volume of `folder`, which need not exist."""
    return shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
