"""A year of made-up lives, lived by the system in minutes: what is still known, and what it costs."""
