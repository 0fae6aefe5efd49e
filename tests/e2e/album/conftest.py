"""The album of a life, for all tests of it."""

from tests.fixtures.album import album

__all__ = ["album"]
