"""The graph of facts over Bolt."""

from ricordo.adapters.neo4j.graph import GraphSettings, Neo4jGraph, open_graph

__all__ = ["GraphSettings", "Neo4jGraph", "open_graph"]
