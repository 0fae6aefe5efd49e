"""PostgreSQL as a local server: the cluster, its database and its two roles."""

import os
import shutil
import signal
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from pathlib import Path

import asyncpg

from ricordo_services import private_files as private
from ricordo_services.stack import packages
from ricordo_services.stack.account import reachable_programs, server_account
from ricordo_services.stack.servers import LOOPBACK, Account, FolderRefused, Launch, NotReady

OWNER, WORKER, DATABASE = "ricordo_owner", "ricordo_worker", "ricordo"
MAJOR_VERSION = "18"
HERE = "/proc/self/cwd"
WORKER_SETTING = "SELECT set_config('ricordo.worker_password', $1, false)"
STARTING = (OSError, TimeoutError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError)

RunToEnd = Callable[[Launch], Awaitable[None]]


class PostgresServer:
    """One PostgreSQL cluster with scram authentication, on TCP only.

    Args:
        run_to_end: runs a command under a guard and raises unless it succeeds.
    """

    name = "postgres"
    port_names = ("postgres",)

    def __init__(
        self, data_dir: Path, *, owner_password: str, worker_password: str, run_to_end: RunToEnd
    ) -> None:
        self._data_dir = data_dir
        self._folder = data_dir / "postgres"
        self._cluster = self._folder / "cluster"
        self._owner_password = owner_password
        self._worker_password = worker_password
        self._run_to_end = run_to_end

    def admin_dsn(self, ports: Mapping[str, int], database: str = DATABASE) -> str:
        """Return the address for the owner of the database."""
        return _dsn(OWNER, self._owner_password, ports, database)

    def worker_dsn(self, ports: Mapping[str, int]) -> str:
        """Return the address for the role that row-level security binds."""
        return _dsn(WORKER, self._worker_password, ports, DATABASE)

    async def prepare(self, ports: Mapping[str, int]) -> Launch:
        """Make the cluster where there is none, and return how to serve it."""
        account = server_account(self._cluster, self._data_dir)
        programs = reachable_programs(packages.postgres_bin(), account, packages.postgres_version())
        if not self._cluster.exists():
            await self._create(programs, account)
        self._check_version()
        self._forget_foreign_pid()
        declared = resources.files(__package__).joinpath("postgres.toml").read_text(encoding="utf-8")
        settings = {"port": str(ports["postgres"]), **tomllib.loads(declared)}
        options = (word for name, value in settings.items() for word in ("-c", f"{name}={value}"))
        return Launch(
            argv=(str(programs / "postgres"), "-D", _from_inside(self._cluster), *options),
            cwd=self._cluster,
            stop_signal=signal.SIGINT,  # fast: end the sessions, write a checkpoint
            orphan_signal=signal.SIGQUIT,  # immediate: nobody is left to wait, the next start recovers
            account=account,
        )

    async def _create(self, programs: Path, account: Account | None) -> None:
        """Make the cluster aside and move it in place, so that one half made is never used."""
        partial, password_file = self._folder / "partial", self._folder / "password"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        private.write(password_file, self._owner_password)
        try:
            if account is not None:
                for path in (partial, password_file):
                    os.chown(path, account.uid, account.gid)
            await self._run_to_end(self._initdb(programs, partial, password_file, account))
        finally:
            password_file.unlink()
        partial.rename(self._cluster)

    def _initdb(self, programs: Path, partial: Path, password_file: Path, account: Account | None) -> Launch:
        return Launch(
            argv=(
                *(str(programs / "initdb"), "-D", _from_inside(partial), "-U", OWNER),
                *("--auth=scram-sha-256", "--pwfile=/dev/stdin", "--encoding=UTF8", "--no-instructions"),
                # The same order and classes on every machine, whatever its locales.
                *("--locale-provider=builtin", "--locale=C.UTF-8"),
            ),
            cwd=partial,
            stop_signal=signal.SIGTERM,
            orphan_signal=signal.SIGTERM,
            grace=1.0,
            account=account,
            stdin=password_file,
        )

    def _check_version(self) -> None:
        found = (self._cluster / "PG_VERSION").read_text(encoding="ascii").strip()
        if found != MAJOR_VERSION:
            raise FolderRefused(
                f"{self._cluster} was made by PostgreSQL {found} and this Ricordo brings {MAJOR_VERSION}: "
                "install the Ricordo that wrote it, `ricordo export`, and import into a new folder"
            )

    def _forget_foreign_pid(self) -> None:
        """Remove the process file of a killed server when its number now belongs to somebody else.

        PostgreSQL sees by itself that no such process exists, but refuses to start when there is one.
        We hold the folder's lock, which every process of a former server held too.
        """
        process_file = self._cluster / "postmaster.pid"
        try:
            pid = int(process_file.read_text(encoding="utf-8").split("\n", 1)[0])
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return
        if b"postgres" not in command:
            process_file.unlink(missing_ok=True)

    async def probe(self, ports: Mapping[str, int]) -> None:
        """Return when the database answers, after making it and its worker role where they are missing."""
        try:
            await self._provision(ports)
        except STARTING as error:
            raise NotReady from error
        except asyncpg.InvalidPasswordError as error:
            raise FolderRefused(
                f"the passwords in {self._data_dir / 'secrets.json'} do not open the database beside it: "
                "restore the file from a copy"
            ) from error

    async def _provision(self, ports: Mapping[str, int]) -> None:
        connection = await asyncpg.connect(self.admin_dsn(ports, "postgres"), timeout=5)
        try:
            known = await connection.fetchval("SELECT true FROM pg_database WHERE datname = $1", DATABASE)
            if not known:
                await connection.execute("CREATE DATABASE ricordo OWNER ricordo_owner")
            await connection.execute(WORKER_SETTING, self._worker_password)
            script = resources.files(__package__).joinpath("roles.sql")
            await connection.execute(script.read_text(encoding="utf-8"))
        finally:
            await connection.close()


def _dsn(user: str, password: str, ports: Mapping[str, int], database: str) -> str:
    return f"postgresql://{user}:{password}@{LOOPBACK}:{ports['postgres']}/{database}?sslmode=disable"


def _from_inside(cluster: Path) -> str:
    """Return the cluster's path as a server that stands in it can use it, whoever owns the folders above."""
    return HERE if Path(HERE).exists() else str(cluster)
