"""The graph of facts over Bolt."""
