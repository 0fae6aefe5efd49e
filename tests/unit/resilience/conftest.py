"""A model that takes a tenth of a second of a clock that is moved by hand."""

import pytest
from tests.support.manual_clock import ManualClock
from tests.support.models import FakeEncoder


@pytest.fixture
def clock() -> ManualClock:
    """Return the clock."""
    return ManualClock()


@pytest.fixture
def model(clock: ManualClock) -> FakeEncoder:
    """Return the model."""
    return FakeEncoder(clock, latency=0.1)
