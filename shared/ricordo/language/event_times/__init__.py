"""When what a message tells happened, or is to happen."""
