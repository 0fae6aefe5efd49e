"""The addresses of a running stack, as settings and as `stack.json` for other processes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ricordo.settings import Settings
from ricordo_services import private_files as private

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


def write_stack_file(data_dir: Path, payload: Mapping[str, object]) -> Path:
    """Leave ``stack.json`` in the data folder, so that clients find the running servers.

    The stack removes it when it stops, and at its next start when it was killed.
    """
    path = data_dir / STACK_FILE
    private.write(path, json.dumps(dict(payload)) + "\n")
    return path


def read_stack_file(data_dir: Path) -> dict[str, object] | None:
    """Return what ``write_stack_file`` left, or None when no stack has announced itself there."""
    try:
        payload = json.loads((data_dir / STACK_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return payload if isinstance(payload, dict) else None


def local_settings(endpoints: Endpoints, base: Settings) -> Settings:
    """Return `base` with the addresses of the local servers in it."""
    stores = base.stores.model_copy(
        update={
            "postgres_dsn": type(base.stores.postgres_dsn)(endpoints.postgres_dsn),
            "postgres_admin_dsn": type(base.stores.postgres_dsn)(endpoints.postgres_admin_dsn),
            "qdrant_url": None,
            "qdrant_dir": endpoints.qdrant_dir,
            "bolt_url": endpoints.bolt_url,
            "bolt_user": endpoints.bolt_user,
            "bolt_password": type(base.stores.bolt_password)(endpoints.bolt_password),
            "bolt_database": endpoints.bolt_database,
        }
    )
    bus = base.bus.model_copy(update={"url": endpoints.nats_url})
    documents = base.documents
    if documents.url is None and documents.dir is None:
        documents = documents.model_copy(update={"dir": endpoints.object_dir})
    return base.model_copy(update={"bus": bus, "stores": stores, "documents": documents})
