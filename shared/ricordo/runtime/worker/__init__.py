"""The worker loop: fetches events of a durable consumer, calls a handler, and settles each event."""
