"""The graph of facts: its port, and servers that speak Bolt and Cypher."""
