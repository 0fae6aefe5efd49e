"""The running system, for all tests that drive it from outside."""

from tests.fixtures.running import bot, running, wire

__all__ = ["bot", "running", "wire"]
