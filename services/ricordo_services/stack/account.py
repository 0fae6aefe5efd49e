"""The unprivileged account of PostgreSQL, which refuses to run as root.

Nothing is created and no folder is opened to anyone. The cluster's folder is given to the account,
and the server enters it as its working folder, which needs no right to walk there. Its programs do
need that right (the server looks for itself by its full path), so where they are installed behind a
closed door, root's home above all, a copy of them is kept in a public folder.
"""

import os
import pwd
import shutil
import stat
import tempfile
from pathlib import Path

from ricordo_services.stack.servers import Account, FolderRefused

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
    folders = (folder for folder in program.parents if folder != missing)
    return all(_may_enter(folder.stat(), account) for folder in folders)


def _may_enter(folder: os.stat_result, account: Account) -> bool:
    if folder.st_uid == account.uid:
        return bool(folder.st_mode & stat.S_IXUSR)
    if folder.st_gid == account.gid:
        return bool(folder.st_mode & stat.S_IXGRP)
    return bool(folder.st_mode & stat.S_IXOTH)


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
            _open_to_readers(fresh)
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


def _open_to_readers(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if executable else 0o644)
