"""NATS with JetStream as a local server."""

import json
import signal
from collections.abc import Mapping

from ricordo_services import private_files as private
from ricordo_services.stack import packages
from ricordo_services.stack.folder import DataFolder
from ricordo_services.stack.servers import LOOPBACK, Launch, NotReady, answer_of

USER = "ricordo"
MEMORY_STORE_BYTES = 64 * 1024 * 1024
MAX_PAYLOAD_BYTES = 1024 * 1024
HEAP_BYTES = 256 * 1024 * 1024  # a soft limit


class NatsServer:
    """A single NATS server: one user, JetStream fsynced before every ack."""

    name = "nats"
    port_names = ("nats",)

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder.path / "nats"
        self._password = folder.secrets().nats

    def url(self, ports: Mapping[str, int]) -> str:
        """Return the address that admits a client as it stands."""
        return f"nats://{USER}:{self._password}@{LOOPBACK}:{ports['nats']}"

    async def prepare(self, ports: Mapping[str, int]) -> Launch:
        """Write the configuration, which holds the password, for our eyes only."""
        # The server's own format is a superset of JSON.
        configured = {
            "server_name": "ricordo-local",
            "listen": f"{LOOPBACK}:{ports['nats']}",
            "max_payload": MAX_PAYLOAD_BYTES,
            "jetstream": {
                "store_dir": str(self._folder),
                # The default syncs every two minutes, after the ack: a power failure would lose
                # messages that a bot was told are safe.
                "sync_interval": "always",
                "max_memory_store": MEMORY_STORE_BYTES,
            },
            "authorization": {"users": [{"user": USER, "password": self._password}]},
        }
        configuration = self._folder / "nats.conf"
        private.write(configuration, json.dumps(configured, indent=1, ensure_ascii=False))
        return Launch(
            argv=(str(packages.nats_server()), "--config", str(configuration)),
            cwd=self._folder,
            stop_signal=signal.SIGTERM,
            orphan_signal=signal.SIGTERM,
            environment={"GOMEMLIMIT": str(HEAP_BYTES)},
        )

    async def probe(self, ports: Mapping[str, int]) -> None:
        """Return when the server greets a client; it does so once JetStream has recovered."""
        greeting = await answer_of(ports["nats"], b"")
        if not greeting.startswith(b"INFO ") or not json.loads(greeting[5:]).get("jetstream"):
            raise NotReady
