"""The graph of facts over Bolt."""

from ricordo.graph.bolt.graph import Neo4jGraph, open_graph
from ricordo.graph.bolt.transactions import GraphSettings

__all__ = ["GraphSettings", "Neo4jGraph", "open_graph"]
