"""The graph of facts over Bolt."""

from ricordo.graph.bolt.fact_graph import FactGraph, open_graph
from ricordo.graph.bolt.transactions import GraphSettings

__all__ = ["FactGraph", "GraphSettings", "open_graph"]
