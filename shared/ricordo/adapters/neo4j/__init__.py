"""The graph of facts over Bolt."""

from ricordo.adapters.neo4j.graph import Neo4jGraph, open_graph
from ricordo.adapters.neo4j.transactions import GraphSettings

__all__ = ["GraphSettings", "Neo4jGraph", "open_graph"]
