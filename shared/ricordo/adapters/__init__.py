"""The ports, on real servers and libraries. Adapters do not know each other."""
