import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo_lab.bench.measurement import Stopwatch, latencies, middle, percentile, rounded

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)


@given(values=st.lists(NUMBERS, min_size=1), share=st.floats(0.001, 1.0))
def test_a_percentile_is_a_value_that_the_share_does_not_exceed(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)


def test_percentiles_of_a_hundred() -> None:
    values = [float(n) for n in range(100, 0, -1)]
    assert [percentile(values, share) for share in (0.01, 0.5, 0.95, 1.0)] == [1.0, 50.0, 95.0, 100.0]


@given(value=NUMBERS)
def test_rounding_keeps_what_counts(value: float) -> None:
    assert math.isclose(rounded(value), value, rel_tol=0.005)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0123456, 0.0123), (1234.5, 1234.0), (99.96, 100.0), (0.0, 0.0)]
)
def test_three_digits_are_shown(value: float, shown: float) -> None:
    assert rounded(value) == shown


def test_the_median_counts() -> None:
    assert middle([9.0, 1.0, 2.0]) == 2.0


def test_latencies_are_the_median_and_the_95th_percentile() -> None:
    assert latencies([float(n) for n in range(1, 101)], "_over_nats") == {
        "p50_ms_over_nats": 50.0,
        "p95_ms_over_nats": 95.0,
    }


def test_laps_add_up_even_when_one_fails() -> None:
    watch = Stopwatch()
    with watch:
        sum(range(1000))
    first = watch.seconds
    with pytest.raises(LookupError):
        _fail_on(watch)
    assert watch.seconds > first > 0
    assert watch.cpu >= 0


def _fail_on(watch: Stopwatch) -> None:
    with watch:
        raise LookupError
