"""Values and interfaces of the store."""
