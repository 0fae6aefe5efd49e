"""The configuration of the cluster's servers, on real ones: NATS takes the streams, PostgreSQL the role."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
from tests.fixtures.scraping import free_port

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.port import BusUnavailable
from ricordo.settings import BusSettings, Settings
from ricordo_services.app.server_connections import bus_settings, topology
from ricordo_services.cli.application import run
from ricordo_services.stack import packages
from ricordo_services.stack.endpoints import Endpoints

ROOT = Path(__file__).parents[3]
PASSWORD = "12e5"  # a number, for a careless reader
ROLES = ROOT / "services/ricordo_services/stack/roles.sql"
PROBE = "deploy_probe"


@pytest.fixture
async def nats_url(tmp_path: Path) -> AsyncIterator[str]:
    """Run the configuration of the cluster, but for its place and its ports."""
    port = free_port()
    text = (ROOT / "deploy/nats/nats.conf").read_text(encoding="utf-8")
    for fixed, here in (
        ("0.0.0.0:4222", f"127.0.0.1:{port}"),
        ("127.0.0.1:8222", f"127.0.0.1:{free_port()}"),
        ("/data", str(tmp_path / "data")),
    ):
        assert fixed in text
        text = text.replace(fixed, here)
    configuration = tmp_path / "nats.conf"
    configuration.write_text(text)
    server = await asyncio.create_subprocess_exec(
        packages.nats_server(),
        "--config",
        configuration,
        env={"NATS_PASSWORD": f'"{PASSWORD}"'},
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield f"nats://ricordo:{PASSWORD}@127.0.0.1:{port}"
    finally:
        server.terminate()
        await server.wait()


async def test_nats_holds_the_streams_at_their_usual_sizes_and_admits_nobody_else(nats_url: str) -> None:
    settings = Settings(bus=BusSettings(url=nats_url))
    async with open_bus(bus_settings(settings), topology(settings)) as bus:
        created = await bus.provision()
        assert len(created) == len(topology(settings).streams) + len(topology(settings).consumers)
        assert await bus.provision() == []
    stranger = NatsSettings(servers=(nats_url.replace(PASSWORD, "wrong"),), start_timeout=2)
    with pytest.raises(BusUnavailable, match=r"Authorization|reset by peer"):
        async with open_bus(stranger, topology(settings)):
            pass


async def test_the_configuration_with_users_differs_in_these_alone(tmp_path: Path) -> None:
    plain, users = (
        (ROOT / "deploy/nats" / name).read_text(encoding="utf-8") for name in ("nats.conf", "users.conf")
    )
    begin = plain.index("server_name")
    common = plain[begin : plain.index("authorization")]
    assert users[users.index("server_name") :] == f'{common}include "users/ricordo-users.conf"\n'
    assert run(["auth", "server", "--tenant", "acme", "--out", str(tmp_path / "users")]) == 0
    (tmp_path / "nats.conf").write_text(users)
    check = await asyncio.create_subprocess_exec(
        packages.nats_server(),
        "-t",
        "--config",
        tmp_path / "nats.conf",
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await check.communicate()
    assert check.returncode == 0, said


async def test_postgres_makes_the_role_of_the_workers(stack: Endpoints, tmp_path: Path) -> None:
    owner = urlsplit(stack.postgres_admin_dsn)
    assert owner.username
    assert owner.password
    roles = tmp_path / "roles.sql"
    script = tmp_path / "10-roles.sh"
    for name, copy in ((ROLES, roles), (ROOT / "deploy/postgres/10-roles.sh", script)):
        text = name.read_text(encoding="utf-8")  # under another name: the stack has this role
        copy.write_text(text.replace("ricordo_worker", PROBE).replace("/ricordo/roles.sql", str(roles)))
    environment = {
        "PATH": f"{packages.postgres_bin()}:{os.environ['PATH']}",
        "PGHOST": "127.0.0.1",
        "PGPORT": str(owner.port),
        "PGPASSWORD": owner.password,
        "POSTGRES_USER": owner.username,
        "POSTGRES_DB": "ricordo",
        "RICORDO_WORKER_PASSWORD": "it's 12e5",
    }
    admin = await asyncpg.connect(stack.postgres_admin_dsn)
    try:
        run = await asyncio.create_subprocess_exec(
            "/bin/sh", script, env=environment, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await run.communicate()
        assert (run.returncode, output) == (0, b"")
        worker = await asyncpg.connect(
            stack.postgres_dsn, user=PROBE, password="it's 12e5", host="127.0.0.1", port=owner.port
        )
        await worker.close()
        role = await admin.fetchrow("select * from pg_roles where rolname = $1", PROBE)
        assert role is not None
        assert not any(role[power] for power in ("rolsuper", "rolbypassrls", "rolcreatedb", "rolcreaterole"))
    finally:
        await admin.execute(f"drop owned by {PROBE}; drop role {PROBE}")
        await admin.close()
