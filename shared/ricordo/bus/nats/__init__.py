"""The bus on NATS with JetStream."""

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import ConsumerSpec, StreamSpec, Topology, ricordo_topology

__all__ = [
    "ConsumerSpec",
    "NatsBus",
    "NatsSettings",
    "StreamSpec",
    "Topology",
    "open_bus",
    "ricordo_topology",
]
