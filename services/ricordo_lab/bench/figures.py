"""From measurements to figures: medians, percentiles, and as many digits as they deserve."""

import math
from collections.abc import Iterable, Sequence
from statistics import median


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that `share` of `values` do not exceed: the nearest rank, never one in between.

    Args:
        values: at least one.
        share: in (0, 1], such as 0.95.
    """
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def middle(values: Sequence[float]) -> float:
    """Return the median of at least one value, rounded."""
    return rounded(median(values))


def rounded(value: float, digits: int = 3) -> float:
    """Return `value` with so many significant digits; more would be noise."""
    if value == 0 or not math.isfinite(value):
        return value
    kept = digits - 1 - math.floor(math.log10(abs(value)))
    return round(value, max(0, kept))
