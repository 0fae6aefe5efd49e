"""Silence: tests of failures would otherwise fill the screen with them."""

import pytest

from ricordo import log


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> None:
    log.configure(level="critical")
