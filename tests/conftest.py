"""Fixtures that all tests share, and how they run."""

import signal
from typing import Final

import pytest
from hypothesis import settings

pytest_plugins = ["tests.fixtures.stack"]

settings.register_profile("ricordo", deadline=None, max_examples=40)  # a busy machine is no defect
settings.register_profile("thorough", parent=settings.get_profile("ricordo"), max_examples=100)
settings.load_profile("ricordo")

# A shell has its background jobs ignore interrupts, and so would the processes that these tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SLOWEST_FIRST: Final = ("chaos/", "e2e/cli/", "e2e/docs/", "e2e/", "integration/", "contract/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow folders first, so that no process is left with a slow file when the others have ended."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    return next(
        (n for n, folder in enumerate(SLOWEST_FIRST) if f"tests/{folder}" in item.nodeid), len(SLOWEST_FIRST)
    )
