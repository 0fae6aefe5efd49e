"""Checks PostgreSQL, the graph, the index and the room on the disk, from where `doctor` runs."""

import asyncio
import shutil
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import asyncpg
import neo4j
import neo4j.exceptions

from ricordo.client.addresses import without_credentials
from ricordo.settings import BusSettings, Settings
from ricordo_services.bus_findings import Finding, State
from ricordo_services.cli import worker_reports
from ricordo_services.cli.bus_checks import System
from ricordo_services.cli.worker_reports import assignments
from ricordo_services.stack.endpoints import free_bytes, stream_limits

_COUNTING_S: Final = 20.0  # over all tenants and memories
_BLOCK: Final = 512  # bytes, of what a file really takes: the index reserves more than it fills
_AMPLE: Final = 4  # times what must be free: whoever has less is warned
_ASIDE: Final = (".damaged", ".partial")
_SCHEMA: Final = "select max(version) from schema_migrations"
_TENANTS: Final = "select tenant from tenants order by tenant"
_OF_TENANT: Final = "select set_config('app.tenant', $1, false)"
_VECTORS: Final = """
select model, count(*) as number, count(*) filter (where vector is null) as refused
from vectors where tenant = $1 group by model
"""
_AWAY: Final = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError)
"""What is raised where PostgreSQL does not answer."""
_UNSEEN: Final = "not named by the settings, so not looked at; workers look at their own"
_GIVEN: Final = 0.75  # of what is free when NATS starts, which it then gives to streams: its default
_LAST_STREAM: Final = "jetstream/*/streams/RICORDO_DLQ"
"""The folder of the stream that is created last."""
_MAKE_ROOM: Final = (
    "free some space there, choose another folder with --data-dir, or set RICORDO_BUS__INPUT_BYTES, "
    "RICORDO_BUS__EVENTS_BYTES and RICORDO_BUS__DEAD_LETTER_BYTES to less"
)


async def check_postgres(system: System) -> list[Finding]:
    """Check that PostgreSQL answers and has a schema."""
    if not system.names_stores:
        return [Finding("postgres", State.NOTED, _UNSEEN)]
    admin = system.settings.stores.postgres_admin_dsn
    dsn = (admin or system.settings.stores.postgres_dsn).get_secret_value()
    where = without_credentials(dsn).partition("?")[0]
    try:
        connection = await asyncpg.connect(dsn, timeout=worker_reports.PATIENCE_S)
    except _AWAY as error:
        told = f"{where} does not answer ({str(error) or type(error).__name__})"
        return [Finding("postgres", State.MISSING, told, "is it running, is the DSN right?")]
    try:
        version = await connection.fetchval("show server_version")
        system.has_schema = await connection.fetchval("select to_regclass('memories') is not null")
        schema = await connection.fetchval(_SCHEMA) if admin and system.has_schema else None
    finally:
        await connection.close()
    if not system.has_schema:
        advice = "a worker with the admin DSN makes it"
        return [Finding("postgres", State.MISSING, f"{where} {version} has no schema", advice)]
    detail = f"{where} {version}{f', schema {schema}' if schema else ''}"
    return [Finding("postgres", State.WELL, detail)]


async def check_vectors(system: System) -> list[Finding]:
    """Look for memories whose vectors are of another embedding model than that of the workers, or missing."""
    if not system.has_schema:
        return []
    counted = await count_vectors(system.settings)
    if isinstance(counted, str):
        return [Finding("vectors", State.NOTED, f"of which models they are was not found out ({counted})")]
    usual = system.embedding.provider == system.settings.embedding.provider == "onnx"
    # Copied into another shell, the command is to work by the same models: they stand before it.
    command = f"`{'' if usual else f'{assignments(system.embedding)} '}ricordo backfill --only vectors`"
    model, findings = system.embedding.model, []
    if others := {name: number for name, number in sorted(counted.models.items()) if name != model}:
        former = ", ".join(f"{number} of {name}" for name, number in others.items())
        advice = f"{command} encodes them by it, beside the workers"
        findings.append(Finding("vectors", State.DEGRADED, f"not yet of {model}: {former}", advice))
    if counted.refused:
        detail = "memories whose text the model refused, and that are found by their words alone"
        advice = f"{command} tries them again"
        findings.append(Finding("refused texts", State.NOTED, f"{detail}: {counted.refused}", advice))
    return findings


class Vectors(NamedTuple):
    """Vectors by embedding model, and how many texts their model refused."""

    models: Counter[str]
    refused: int


async def count_vectors(settings: Settings, tenant: str | None = None) -> Vectors | str:
    """Count vectors, of a tenant or of all; or return the reason why not."""
    stores, patience = settings.stores, worker_reports.PATIENCE_S
    dsn = (stores.postgres_admin_dsn or stores.postgres_dsn).get_secret_value()
    models, refused = Counter[str](), 0
    try:
        connection = await asyncpg.connect(dsn, timeout=patience)
        try:
            async with asyncio.timeout(_COUNTING_S):
                known = [row["tenant"] for row in await connection.fetch(_TENANTS)]
                for one in known if tenant is None else [tenant]:
                    await connection.execute(_OF_TENANT, one)
                    for row in await connection.fetch(_VECTORS, one):
                        models[row["model"]] += row["number"]
                        refused += row["refused"]
        finally:
            await connection.close(timeout=patience)
    except _AWAY as error:
        return str(error) or type(error).__name__
    return Vectors(models, refused)


async def check_graph(system: System) -> list[Finding]:
    """Check that the Bolt server answers a query."""
    if not system.names_stores:
        return [Finding("graph", State.NOTED, _UNSEEN)]
    stores, patience = system.settings.stores, worker_reports.PATIENCE_S
    auth = (stores.bolt_user, stores.bolt_password.get_secret_value())
    try:
        async with (
            asyncio.timeout(2 * patience),
            neo4j.AsyncGraphDatabase.driver(
                stores.bolt_url, auth=auth, connection_timeout=patience, max_transaction_retry_time=0
            ) as driver,
            driver.session(database=stores.bolt_database) as session,
        ):
            await (await session.run("RETURN 1")).consume()
    except (OSError, ValueError, neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        advice = "facts are answered without it, but new ones wait: start it"
        return [Finding("graph", State.DEGRADED, f"{stores.bolt_url} does not answer ({reason})", advice)]
    return [Finding("graph", State.WELL, stores.bolt_url)]


async def check_index(system: System) -> list[Finding]:
    """Check the folder of the index and its free space."""
    stores = system.settings.stores
    if stores.qdrant_url:
        return [Finding("index", State.NOTED, f"{stores.qdrant_url}, asked by the workers")]
    folder = stores.qdrant_dir or (system.stack / "qdrant" if system.stack else None)
    if folder is None or not folder.is_dir():
        return [Finding("index", State.NOTED, "kept by the worker `index`, where it runs")]
    damaged = sorted(entry.stem for entry in folder.glob("*.rebuild"))
    folders = (entry for entry in sorted(folder.iterdir()) if entry.is_dir())
    collections = [entry.name for entry in folders if entry.suffix not in _ASIDE]
    size = sum(entry.stat().st_blocks * _BLOCK for entry in folder.rglob("*") if entry.is_file()) / 1e6
    detail = f"{folder}: {', '.join(collections) or 'empty'}, {size:.1f} MB"
    free, least = shutil.disk_usage(folder).free / 1e6, stores.qdrant_min_free_mb
    state, advice = State.WELL, ""
    if damaged:
        state = State.DEGRADED
        detail += f"; damaged, and written anew from PostgreSQL: {', '.join(damaged)}"
        advice = "recall finds less until the worker `index` has done it; nothing else has to be done"
    elif free < least:
        state = State.DEGRADED
        detail += f"; only {free:.0f} MB are free there: nothing more is indexed below {least}"
        advice = "free some space on that volume: what waits is indexed by itself then, and none is lost"
    elif free < _AMPLE * least:
        state, advice = State.NOTED, "free some space soon"
        detail += f"; {free:.0f} MB are free there, and indexing stops below {least}"
    return [Finding("index", state, detail, advice)]


def describe_room(data_dir: Path, needed: int) -> str:
    """Describe the free space for the streams of NATS, and what is needed.

    Args:
        needed: bytes that all streams may take together.
    """
    free, enough = free_bytes(data_dir) / 1e6, needed / _GIVEN / 1e6
    volume = f"on a volume where {free:,.0f} MB are free and {enough:,.0f} MB would do"
    return f"its folder is {data_dir / 'nats'}, {volume}"


def check_room(data_dir: Path, bus: BusSettings) -> list[Finding]:
    """Check that `ricordo up` has room for its streams; nothing if it has, or if they exist already."""
    needed = sum(stream_limits(data_dir, bus).values())
    if any((data_dir / "nats").glob(_LAST_STREAM)) or needed <= _GIVEN * free_bytes(data_dir):
        return []
    told = f"the streams of NATS may take {needed / 1e6:,.0f} MB: {describe_room(data_dir, needed)}"
    return [Finding("room", State.MISSING, told, _MAKE_ROOM)]
