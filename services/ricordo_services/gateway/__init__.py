"""The gateway: HTTP in front of the bus, for bots that do not speak NATS."""
