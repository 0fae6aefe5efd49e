"""What a command is told by who does its work: how far it is, and what it waits for."""
