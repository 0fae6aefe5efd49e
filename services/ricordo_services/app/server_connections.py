"""Connection settings and clients of the servers, by the process's settings."""

import asyncio
from typing import TYPE_CHECKING

from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import Topology, ricordo_topology
from ricordo.client.addresses import checked_addresses
from ricordo.documents.object_store import ObjectStore, in_bucket, in_folder
from ricordo.index.port import VectorIndex
from ricordo.settings import DocumentSettings, Settings, StoreSettings

if TYPE_CHECKING:
    from ricordo.index.qdrant.edge import EdgeVectorIndex


def bus_settings(settings: Settings) -> NatsSettings:
    """Return the addresses and credentials of NATS."""
    bus = settings.bus
    return NatsSettings(
        servers=tuple(checked_addresses(bus.url)), inbox_prefix=bus.inbox_prefix, tls_ca=bus.tls_ca
    )


def topology(settings: Settings) -> Topology:
    """Return the streams and consumers, with the operator's limits."""
    bus = settings.bus
    return ricordo_topology(
        incoming_bytes=bus.input_bytes,
        derived_bytes=bus.events_bytes,
        dead_letter_bytes=bus.dead_letter_bytes,
        ack_wait=bus.ack_wait_s,
    )


async def open_object_store(settings: DocumentSettings) -> ObjectStore | None:
    """Return the object store of documents, in a bucket or a folder; None where neither is configured."""
    if settings.bucket is None:
        return None if settings.dir is None else await asyncio.to_thread(in_folder, settings.dir)
    name, prefix = settings.bucket
    secret = settings.secret_access_key
    return in_bucket(
        name,
        prefix=prefix,
        endpoint=settings.endpoint,
        region=settings.region,
        access_key_id=settings.access_key_id,
        secret_access_key=None if secret is None else secret.get_secret_value(),
    )


def edge_index(stores: StoreSettings) -> "EdgeVectorIndex":
    """Return the vector index in this process.

    Raises:
        ValueError: neither a server nor a folder is configured.
    """
    # the engine in process is in the `local` extra, which a cluster's image need not have
    from ricordo.index.qdrant.edge import EdgeVectorIndex  # noqa: PLC0415

    if stores.qdrant_dir is None:
        raise ValueError(
            "set RICORDO_STORES__QDRANT_URL to a server, or RICORDO_STORES__QDRANT_DIR to a folder"
        )
    return EdgeVectorIndex(stores.qdrant_dir, least_free_mb=stores.qdrant_min_free_mb)


def server_index(stores: StoreSettings) -> VectorIndex:
    """Return the vector index on a Qdrant server."""
    from qdrant_client import AsyncQdrantClient  # noqa: PLC0415 - takes half a second to import

    from ricordo.index.qdrant.qdrant_server import ServerVectorIndex  # noqa: PLC0415

    key = None if stores.qdrant_api_key is None else stores.qdrant_api_key.get_secret_value()
    return ServerVectorIndex(AsyncQdrantClient(url=stores.qdrant_url, api_key=key))
