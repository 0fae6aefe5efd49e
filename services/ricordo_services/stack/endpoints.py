"""The addresses of a running stack and the sizes of its streams, as settings and for other processes."""

import json
import math
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from pydantic import SecretStr

from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.settings import BusSettings, Settings
from ricordo_services import private_files as private

STACK_FILE = "stack.json"
_LOOPBACK: Final = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))
_FIELDS: Final = {
    "nats": "nats_url",
    "postgres": "postgres_dsn",
    "postgres_admin": "postgres_admin_dsn",
    "bolt": "bolt_url",
    "bolt_user": "bolt_user",
    "bolt_password": "bolt_password",
    "bolt_database": "bolt_database",
    "http": "http_url",
    "http_key": "http_key",
}
"""The attributes of `Endpoints` by their names in `stack.json`."""
_STREAMS: Final[Mapping[str, str]] = {
    "input_bytes": STREAM_IN,
    "events_bytes": STREAM_DERIVED,
    "dead_letter_bytes": STREAM_DEAD_LETTERS,
}
"""The streams by the settings of their sizes."""
_SHARE: Final = 0.5
"""Of what is free, for the streams. NATS gives three quarters to them, as it was at its start."""
_LEAST: Final = 48 * 1024 * 1024  # bytes of all together, on any volume


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Addresses and credentials of the local servers; all on the loopback address.

    ``postgres_admin_dsn`` owns the database (migrations), ``postgres_dsn`` is the role that
    row-level security binds.
    """

    nats_url: str = field(repr=False)
    postgres_dsn: str = field(repr=False)
    postgres_admin_dsn: str = field(default="", repr=False)
    bolt_url: str
    bolt_user: str = ""
    bolt_password: str = field(default="", repr=False)
    bolt_database: str = ""
    http_url: str = ""
    http_key: str = field(default="", repr=False)
    data_dir: Path

    @classmethod
    def read(cls, data_dir: Path, stack: Mapping[str, object]) -> Self:
        """Read the content of the `stack.json` of a data folder."""
        found = {_FIELDS[name]: str(value) for name, value in stack.items() if name in _FIELDS}
        return cls(data_dir=data_dir.expanduser().absolute(), **found)

    def document(self) -> dict[str, str]:
        """Return them by their names in `stack.json`."""
        return {name: getattr(self, attribute) for name, attribute in _FIELDS.items()}

    @property
    def qdrant_dir(self) -> Path:
        """The folder of the vector index."""
        return self.data_dir / "qdrant"

    @property
    def object_dir(self) -> Path:
        """The folder of documents."""
        return self.data_dir / "objects"


def write_stack_file(data_dir: Path, payload: Mapping[str, object]) -> Path:
    """Leave ``stack.json`` in the data folder, so that clients find the running servers.

    The stack removes it when it stops, and at its next start when it was killed.
    """
    path = data_dir / STACK_FILE
    private.write(path, json.dumps(dict(payload)) + "\n")
    return path


def announced(endpoints: Endpoints, base: Settings) -> Endpoints:
    """Return `endpoints` with the address and the key of HTTP that settings may name instead."""
    gateway = local_settings(endpoints, base).gateway
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(gateway.host, gateway.host)  # noqa: S104 - listens on all
    key = endpoints.http_key if gateway.key is None else gateway.key.get_secret_value()
    name = f"[{host}]" if ":" in host else host
    return replace(endpoints, http_url=f"http://{name}:{gateway.port}", http_key=key)


def local_settings(endpoints: Endpoints, base: Settings) -> Settings:
    """Return `base` with the addresses of the local servers in it, and streams that have room there."""
    owner = endpoints.postgres_admin_dsn
    stores = base.stores.model_copy(
        update={
            "postgres_dsn": SecretStr(endpoints.postgres_dsn),
            "postgres_admin_dsn": SecretStr(owner) if owner else None,
            "qdrant_url": None,
            "qdrant_dir": endpoints.qdrant_dir,
            "bolt_url": endpoints.bolt_url,
            "bolt_user": endpoints.bolt_user,
            "bolt_password": SecretStr(endpoints.bolt_password),
            "bolt_database": endpoints.bolt_database,
        }
    )
    sizes = stream_limits(endpoints.data_dir, base.bus)
    bus = base.bus.model_copy(update={"url": endpoints.nats_url, **sizes})
    documents = base.documents
    if documents.url is None and documents.dir is None:
        documents = documents.model_copy(update={"dir": endpoints.object_dir})
    gateway: dict[str, object] = {}
    if endpoints.http_url:
        gateway |= {"port": urlsplit(endpoints.http_url).port, "webhook_networks": _LOOPBACK}
    if endpoints.http_key:
        gateway |= {"key": SecretStr(endpoints.http_key)}
    missing = {name: gateway[name] for name in gateway.keys() - base.gateway.model_fields_set}
    own = base.gateway.model_copy(update=missing)
    changed = {"bus": bus, "stores": stores, "documents": documents, "gateway": own}
    return base.model_copy(update=changed)


def stream_limits(data_dir: Path, bus: BusSettings) -> Mapping[str, int]:
    """Return the maximum size of each stream, in bytes, by the name of its setting.

    A size that is set is taken as it is. The others are those of the settings by default, halved until all
    three fit into half of what is free. A stream that exists is not made smaller: it grows with the volume.
    """
    usual = BusSettings()
    total, room = sum(getattr(usual, name) for name in _STREAMS), _SHARE * free_bytes(data_dir)
    halvings = max(0, math.ceil(math.log2(total / max(_LEAST, room))))

    def size(name: str, stream: str) -> int:
        wanted: int = getattr(bus, name)
        if name in bus.model_fields_set:
            return wanted
        return min(wanted, max(wanted >> halvings, _present_limit(data_dir, stream)))

    return {name: size(name, stream) for name, stream in _STREAMS.items()}


def _present_limit(data_dir: Path, stream: str) -> int:
    """Return the maximum size of a stream that NATS has in its folder; 0 where it has none."""
    for file in (data_dir / "nats").glob(f"jetstream/*/streams/{stream}/meta.inf"):
        with suppress(OSError, ValueError, KeyError):
            return int(json.loads(file.read_text(encoding="utf-8"))["max_bytes"])
    return 0


def free_bytes(folder: Path) -> int:
    """Return the free bytes on the volume of `folder`, which need not exist."""
    return shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
