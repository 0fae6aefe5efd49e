"""The message bus: its port, and NATS with JetStream."""
