"""What a memory is and how it lives: pure functions and values, no I/O."""
