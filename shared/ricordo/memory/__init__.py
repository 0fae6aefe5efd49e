"""The memory model and its life cycle, as pure functions and values without I/O."""
