"""The user PostgreSQL runs as: it refuses root, so root lends it an unprivileged account.

Nothing is created and no folder above ours is opened to anyone. The cluster's folder is given to the
account, and the server enters it as its working folder, which needs no right to walk there.
"""

import os
import pwd
import stat
from pathlib import Path

from ricordo_services.stack.errors import FolderRefused
from ricordo_services.stack.server import Account

ORDINARY = "nobody"


def server_account(cluster: Path, data_dir: Path, program: Path) -> Account | None:
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
            return _account(owner, program)
    try:
        return _account(pwd.getpwnam(ORDINARY), program)
    except KeyError:
        raise FolderRefused(
            f"PostgreSQL refuses to run as root and there is no user {ORDINARY!r} to run it as: "
            "run Ricordo as an ordinary user"
        ) from None


def _owner(path: Path) -> pwd.struct_passwd | None:
    try:
        uid = path.stat().st_uid
        return pwd.getpwuid(uid) if uid != 0 else None
    except (FileNotFoundError, KeyError):
        return None


def _account(user: pwd.struct_passwd, program: Path) -> Account:
    return Account(user.pw_uid, user.pw_gid, search=not _reachable(program, user.pw_uid, user.pw_gid))


def _reachable(program: Path, uid: int, gid: int) -> bool:
    """Tell whether the user may walk to ``program`` (only by modes: an access list is not read)."""
    return all(_may_enter(folder.stat(), uid, gid) for folder in program.parents)


def _may_enter(folder: os.stat_result, uid: int, gid: int) -> bool:
    if folder.st_uid == uid:
        return bool(folder.st_mode & stat.S_IXUSR)
    if folder.st_gid == gid:
        return bool(folder.st_mode & stat.S_IXGRP)
    return bool(folder.st_mode & stat.S_IXOTH)
