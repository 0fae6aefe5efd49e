"""The graph of facts over Bolt."""

from ricordo.graph.bolt.neo4j_graph import Neo4jGraph, open_graph
from ricordo.graph.bolt.transactions import GraphSettings

__all__ = ["GraphSettings", "Neo4jGraph", "open_graph"]
