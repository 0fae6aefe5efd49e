"""Where a running stack answers, and the file that tells other processes."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

STACK_FILE = "stack.json"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Addresses and credentials of the local servers; all on the loopback address.

    ``postgres_admin_dsn`` owns the database (migrations), ``postgres_dsn`` is the role that
    row-level security binds. ``qdrant_dir`` and ``object_dir`` exist and belong to us.
    """

    nats_url: str = field(repr=False)
    postgres_admin_dsn: str = field(repr=False)
    postgres_dsn: str = field(repr=False)
    postgres_worker_role: str
    bolt_url: str
    bolt_user: str
    bolt_password: str = field(repr=False)
    bolt_database: str
    data_dir: Path
    qdrant_dir: Path
    object_dir: Path


def write_private(path: Path, text: str) -> None:
    """Replace ``path`` by ``text`` in one step, readable by its owner only, surviving a power failure."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def write_stack_file(data_dir: Path, payload: Mapping[str, object]) -> Path:
    """Leave ``stack.json`` in the data folder, so that clients find the running servers.

    The stack removes it when it stops, and at its next start when it was killed.

    Args:
        data_dir: the folder of the running stack.
        payload: a JSON object; may hold credentials, hence mode 0600.
    """
    path = data_dir / STACK_FILE
    write_private(path, json.dumps(dict(payload)) + "\n")
    return path


def read_stack_file(data_dir: Path) -> dict[str, object] | None:
    """Return what ``write_stack_file`` left, or None when no stack has announced itself there."""
    try:
        payload = json.loads((data_dir / STACK_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return payload if isinstance(payload, dict) else None
